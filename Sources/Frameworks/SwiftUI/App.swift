public import UIKit

/// What an app is made of. Nothing here draws views: an app has an object that is told of its life, and phases.
@MainActor
public protocol App {
    /// What its body is.
    associatedtype Body: Scene

    /// Creates the app.
    init()

    /// Its scenes.
    @SceneBuilder var body: Body { get }
}

extension App {
    /// Runs the app, with the delegate that `@UIApplicationDelegateAdaptor` names. Never returns.
    public static func main() {
        // All of it on the main thread.
        nonisolated(unsafe) let app = Self()
        AppHost.begin { _ = unsafe app.body }
        let delegate: AnyClass = AppHost.delegate ?? AppHostDelegate.self
        exit(ApplicationLauncher.run(principal: ApplicationLauncher.principalClass(named: nil), delegate: delegate))
    }
}

/// What the process's one app said before it ran.
@MainActor
enum AppHost {
    static var delegate: AnyClass?
    private static var body: (() -> Void)?
    private static var launch: (any NSObjectProtocol)?

    /// Asks for the app's scenes, and hears what they want to be told, when the app is launched.
    static func begin(_ body: @escaping () -> Void) {
        self.body = body
        launch = NotificationCenter.default.addObserver(
            forName: UIApplication.didFinishLaunchingNotification, object: nil, queue: nil
        ) { _ in MainActor.assumeIsolated { self.body?() } }
    }
}

/// The delegate of an app that names none.
final class AppHostDelegate: UIResponder, UIApplicationDelegate {}

/// Makes an app's object of a class that UIKit tells of the app's life.
@MainActor @propertyWrapper
public struct UIApplicationDelegateAdaptor<Delegate: NSObject & UIApplicationDelegate> {
    /// Names the class.
    public init(_ type: Delegate.Type = Delegate.self) { AppHost.delegate = type }

    /// The object; there is one from the launch on.
    public var wrappedValue: Delegate {
        guard let delegate = UIApplication.shared.delegate as? Delegate else {
            // The code that asks cannot go on without it.
            fatalError("the app's delegate is no \(Delegate.self): the app has two of @UIApplicationDelegateAdaptor")
        }
        return delegate
    }
}

/// A part of what an app shows.
@MainActor
public protocol Scene {}

/// A part of what a scene shows. Nothing here draws it.
@MainActor
public protocol View {}

/// A scene of views. Nothing here draws them, and its content is not asked for.
public struct WindowGroup<Content>: Scene {
    /// Creates a scene.
    public init(id: String? = nil, @ViewBuilder content: @escaping () -> Content) {}

    /// Creates a scene.
    public init(_ title: String, @ViewBuilder content: @escaping () -> Content) {}
}

/// Nothing to see.
public struct EmptyView: View {
    /// Creates it.
    public init() {}
}

/// Puts scenes together.
@resultBuilder @MainActor
public enum SceneBuilder {
    /// Takes the part.
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

/// Puts views together.
@resultBuilder @MainActor
public enum ViewBuilder {
    /// Takes the part.
    public static func buildBlock() -> EmptyView { EmptyView() }
    /// Takes the part.
    public static func buildBlock<Content>(_ content: Content) -> Content { content }
}

/// What surrounds a view or an app.
@MainActor
public struct EnvironmentValues {
    /// What the app is doing.
    public var scenePhase: ScenePhase { ScenePhases.current }
}

/// A value of what surrounds a view or an app, as it is when it is asked for.
@MainActor @propertyWrapper
public struct Environment<Value> {
    private let path: KeyPath<EnvironmentValues, Value>

    /// Names the value.
    public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }

    /// The value.
    public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}

extension Scene {
    /// Calls a block when a phase of the app has changed to another.
    public func onChange(
        of phase: ScenePhase, perform action: @escaping @MainActor (ScenePhase) -> Void
    ) -> some Scene {
        AppHost.observe { _, new in action(new) }
        return self
    }

    /// Calls a block when a phase of the app has changed to another.
    public func onChange(
        of phase: ScenePhase, initial: Bool = false, _ action: @escaping @MainActor (ScenePhase, ScenePhase) -> Void
    ) -> some Scene {
        if initial { action(phase, phase) }
        AppHost.observe(action)
        return self
    }
}

extension AppHost {
    static func observe(_ action: @escaping @MainActor (ScenePhase, ScenePhase) -> Void) {
        let phases = ScenePhases.updates
        Task { @MainActor in
            var last: ScenePhase?
            for await phase in phases {
                if let last { action(last, phase) }
                last = phase
            }
        }
    }
}
