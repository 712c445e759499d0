public import Foundation

extension UIViewController {
    /// Adds a controller whose view is in this one's.
    public func addChild(_ child: UIViewController) {
        child.removeFromParent()
        child.willMove(toParent: self)
        children.append(child)
        child.parent = self
    }

    /// Takes the controller out of the one that it is in.
    public func removeFromParent() {
        guard let parent else { return }
        parent.children.removeAll { $0 === self }
        self.parent = nil
        didMove(toParent: nil)
    }

    /// The stack of controllers that the controller is in.
    public var navigationController: UINavigationController? { ancestor() }

    /// The controller with tabs that the controller is in.
    public var tabBarController: UITabBarController? { ancestor() }

    private func ancestor<Container: UIViewController>() -> Container? {
        var current = parent
        while let controller = current {
            if let container = controller as? Container { return container }
            current = controller.parent
        }
        return nil
    }
}

/// A stack of controllers, the top one of which is shown.
@preconcurrency @MainActor
open class UINavigationController: UIViewController {
    /// The controllers, the top one last.
    open var viewControllers: [UIViewController] {
        get { children }
        set { setViewControllers(newValue, animated: false) }
    }

    /// The controller that is shown.
    open var topViewController: UIViewController? { children.last }

    /// The controller that is shown, or what it has presented.
    open var visibleViewController: UIViewController? { presentedViewController ?? topViewController }

    /// Whether the bar is hidden.
    open var isNavigationBarHidden = false

    /// Creates a stack of one controller.
    public init(rootViewController: UIViewController) {
        super.init(nibName: nil, bundle: nil)
        setViewControllers([rootViewController], animated: false)
    }

    /// Creates an empty stack.
    public override init(nibName: String?, bundle: Bundle?) { super.init(nibName: nibName, bundle: bundle) }

    /// Creates an empty stack.
    public nonisolated override init() { super.init() }

    /// Creates an empty stack.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// Hides the bar, or shows it.
    open func setNavigationBarHidden(_ hidden: Bool, animated: Bool) { isNavigationBarHidden = hidden }

    /// Puts a controller on the stack, and shows it.
    open func pushViewController(_ controller: UIViewController, animated: Bool) {
        guard !children.contains(where: { $0 === controller }) else { return }
        setViewControllers(children + [controller], animated: animated)
    }

    /// Takes the top controller off the stack, unless it is the only one.
    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        guard children.count > 1, let top = children.last else { return nil }
        setViewControllers(Array(children.dropLast()), animated: animated)
        return top
    }

    /// Takes all controllers but the first off the stack.
    @discardableResult
    open func popToRootViewController(animated: Bool) -> [UIViewController]? {
        guard let root = children.first, children.count > 1 else { return nil }
        let popped = Array(children.dropFirst())
        setViewControllers([root], animated: animated)
        return popped
    }

    /// Takes the controllers above one off the stack.
    @discardableResult
    open func popToViewController(_ controller: UIViewController, animated: Bool) -> [UIViewController]? {
        guard let index = children.firstIndex(where: { $0 === controller }) else { return nil }
        let popped = Array(children.dropFirst(index + 1))
        setViewControllers(Array(children.prefix(index + 1)), animated: animated)
        return popped
    }

    /// Makes a stack of controllers.
    open func setViewControllers(_ controllers: [UIViewController], animated: Bool) {
        replaceChildren(controllers, shown: controllers.last, animated: animated)
    }

    override var shownChild: UIViewController? { topViewController }
}

/// Controllers beside each other, one of which is shown.
@preconcurrency @MainActor
open class UITabBarController: UIViewController {
    /// The controllers.
    open var viewControllers: [UIViewController]? {
        get { children }
        set { setViewControllers(newValue, animated: false) }
    }

    /// The place of the one that is shown.
    open var selectedIndex = 0 {
        didSet {
            guard oldValue != selectedIndex else { return }
            replaceChildren(children, shown: shownChild, animated: false)
        }
    }

    /// The controller that is shown.
    open var selectedViewController: UIViewController? {
        get { shownChild }
        set { selectedIndex = children.firstIndex { $0 === newValue } ?? selectedIndex }
    }

    /// Sets the controllers.
    open func setViewControllers(_ controllers: [UIViewController]?, animated: Bool) {
        let controllers = controllers ?? []
        let shown = controllers.indices.contains(selectedIndex) ? controllers[selectedIndex] : controllers.first
        replaceChildren(controllers, shown: shown, animated: animated)
    }

    override var shownChild: UIViewController? {
        children.indices.contains(selectedIndex) ? children[selectedIndex] : children.first
    }
}
