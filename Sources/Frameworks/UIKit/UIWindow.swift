public import Foundation

/// The outermost view of what an app shows. Hold it, for example in the delegate's `window`: the app does not.
@preconcurrency @MainActor
open class UIWindow: UIView {
    /// Creates a hidden window of no size.
    public nonisolated override init() { super.init() }

    /// Creates a hidden window.
    public override init(frame: CGRect) { super.init(frame: frame) }

    /// Creates a hidden window of a scene, as large as the screen.
    public init(windowScene: UIWindowScene) {
        super.init(frame: windowScene.screen.bounds)
        self.windowScene = windowScene
    }

    /// Creates a hidden window. There are no nib files here: nothing is decoded.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// The scene that shows the window; `nil` in an app without scenes.
    open weak var windowScene: UIWindowScene?

    /// The controller of what the window shows. Its view is loaded, and told that it appears, when the window is shown.
    open var rootViewController: UIViewController? {
        didSet {
            guard oldValue !== rootViewController else { return }
            if isShown { oldValue?.leave() }
            oldValue?.viewIfLoaded?.removeFromSuperview()
            if isShown { showRoot() }
        }
    }

    /// Whether the window is invisible; a new one is, until `makeKeyAndVisible()`.
    open override var isHidden: Bool {
        get { !isShown }
        set {
            if newValue { hide() } else { show() }
        }
    }

    /// Whether events that belong to no place on the screen go to this window.
    open var isKeyWindow: Bool { UIApplication.running?.currentKeyWindow === self }

    /// The window itself.
    open override var window: UIWindow? { self }

    /// The scene; without one, the app.
    open override var next: UIResponder? { windowScene ?? UIApplication.running }

    private var isShown = false

    /// Shows the window in front of the app's others and makes it the one that gets events.
    open func makeKeyAndVisible() {
        makeKey()
        show()
    }

    /// Makes the window the one that gets events.
    open func makeKey() { UIApplication.shared.currentKeyWindow = self }

    private func show() {
        let application = UIApplication.shared
        application.visibleWindows.removeAll { $0.window == nil || $0.window === self }
        application.visibleWindows.append(UIApplication.WeakWindow(window: self))
        guard !isShown else { return }
        isShown = true
        showRoot()
    }

    private func hide() {
        guard isShown else { return }
        isShown = false
        UIApplication.running?.visibleWindows.removeAll { $0.window == nil || $0.window === self }
        if isKeyWindow { UIApplication.running?.currentKeyWindow = nil }
        rootViewController?.leave()
    }

    private func showRoot() {
        guard let rootViewController, let view = rootViewController.view else { return }
        view.frame = bounds
        if view.superview !== self { addSubview(view) }
        rootViewController.enter()
    }
}
