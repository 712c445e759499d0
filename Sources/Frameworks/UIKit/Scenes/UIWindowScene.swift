/// A scene that shows windows. Create a window with `UIWindow(windowScene:)` in `scene(_:willConnectTo:options:)`.
@preconcurrency @MainActor
open class UIWindowScene: UIScene {
    /// The scene's windows that are not hidden, the one that was shown last at the end.
    open var windows: [UIWindow] { (UIApplication.running?.windows ?? []).filter { $0.windowScene === self } }

    /// The scene's window that gets events that belong to no place on the screen.
    open var keyWindow: UIWindow? { windows.first(where: \.isKeyWindow) }

    /// The screen that shows the scene.
    open var screen: UIScreen { .main }
}
