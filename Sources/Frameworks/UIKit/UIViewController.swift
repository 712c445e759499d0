public import Foundation

/// Manages a view. Use it on the main thread.
///
/// Going to the background is no disappearance, as on iOS: it is told to the app's delegate and by notifications.
@preconcurrency @MainActor
open class UIViewController: UIResponder {
    /// Creates a controller whose view is made by `loadView()`.
    public nonisolated override init() { super.init() }

    /// Creates a controller whose view is made by `loadView()`. There are no nib files here: names are only kept.
    public init(nibName: String?, bundle: Bundle?) {
        super.init()
        self.nibName = nibName
        nibBundle = bundle
    }

    /// Creates a controller whose view is made by `loadView()`. There are no nib files here: nothing is decoded.
    public required init?(coder: NSCoder) { super.init() }

    /// By what name the controller's state is kept, in an app without scenes whose delegate wants that
    /// (`application(_:shouldSaveSecureApplicationState:)`). All controllers around this one need one as well.
    open var restorationIdentifier: String?

    /// Writes what the controller shows, when the app has entered the background. The coder is the controller's own.
    open func encodeRestorableState(with coder: NSCoder) {}

    /// Reads what the controller showed, before `application(_:didFinishLaunchingWithOptions:)` of the next launch.
    open func decodeRestorableState(with coder: NSCoder) {}

    /// Every controller has read what it showed.
    open func applicationFinishedRestoringState() {}

    /// The name that the controller was created with.
    open private(set) var nibName: String?

    /// The bundle that the controller was created with.
    open private(set) var nibBundle: Bundle?

    /// What the controller shows, in words.
    open var title: String?

    /// The view, made on first use.
    open var view: UIView! {
        get {
            loadViewIfNeeded()
            return viewIfLoaded
        }
        set {
            viewIfLoaded?.controller = nil
            viewIfLoaded = newValue
            newValue?.controller = self
        }
    }

    /// The view, if it has been made.
    open private(set) var viewIfLoaded: UIView?

    /// Whether the view has been made.
    open var isViewLoaded: Bool { viewIfLoaded != nil }

    /// The controller that this one has presented.
    open private(set) var presentedViewController: UIViewController?

    /// The controller that has presented this one.
    open private(set) weak var presentingViewController: UIViewController?

    /// What a stack of controllers shows of this one in its bar.
    open private(set) lazy var navigationItem = UINavigationItem(title: title ?? "")

    /// The controllers in this one.
    open internal(set) var children: [UIViewController] = []

    /// The controller that this one is in.
    open internal(set) weak var parent: UIViewController?

    /// The view around the controller's view, else the window or the presenting controller.
    open override var next: UIResponder? { viewIfLoaded?.superview ?? presentingViewController }

    private var isOnScreen = false

    /// Which of the controllers in this one is on the screen when this one is, if this one sees to that.
    var shownChild: UIViewController? { nil }

    /// Makes the view. Override it to assign your own to `view`, without calling this one.
    open func loadView() { view = UIView(frame: UIScreen.main.bounds) }

    /// Makes the view if it has not been made.
    open func loadViewIfNeeded() {
        guard viewIfLoaded == nil else { return }
        loadView()
        viewDidLoad()
    }

    /// The view has been made.
    open func viewDidLoad() {}

    /// The view is about to be shown.
    open func viewWillAppear(_ animated: Bool) {}

    /// The view is shown.
    open func viewDidAppear(_ animated: Bool) {}

    /// The view is about to be taken away.
    open func viewWillDisappear(_ animated: Bool) {}

    /// The view is gone from the screen.
    open func viewDidDisappear(_ animated: Bool) {}

    /// The controller is about to be put into another one, or out of the one that it is in.
    open func willMove(toParent parent: UIViewController?) {}

    /// The controller has been put into another one, or out of the one that it was in.
    open func didMove(toParent parent: UIViewController?) {}

    /// Memory is short: give up what can be made again. Called for the controllers of the visible windows and for those
    /// that they have presented, after the app's delegate.
    open func didReceiveMemoryWarning() {}

    /// Shows another controller in front of this one.
    ///
    /// - Parameter completion: called after its `viewDidAppear(_:)`.
    open func present(
        _ viewControllerToPresent: UIViewController, animated: Bool, completion: (() -> Void)? = nil
    ) {
        guard presentedViewController == nil, viewControllerToPresent !== self else { return }
        presentedViewController = viewControllerToPresent
        viewControllerToPresent.presentingViewController = self
        if isOnScreen { viewControllerToPresent.enter(animated) }
        completion?()
    }

    /// Takes away what this controller has presented; if it has presented nothing, itself.
    ///
    /// - Parameter completion: called after the `viewDidDisappear(_:)` of what was taken away.
    open func dismiss(animated: Bool, completion: (() -> Void)? = nil) {
        guard let presented = presentedViewController else {
            presentingViewController?.dismiss(animated: animated, completion: completion)
            return
        }
        presented.leave(animated)
        presented.presentingViewController = nil
        presentedViewController = nil
        completion?()
    }

    /// Tells the controller, and what it presents, that memory is short.
    func receiveMemoryWarning() {
        let presented = presentedViewController
        let children = children
        didReceiveMemoryWarning()
        for child in children { child.receiveMemoryWarning() }
        presented?.receiveMemoryWarning()
    }

    /// Tells the controller, and what it presents, that it comes to the screen.
    func enter(_ animated: Bool = false) {
        guard !isOnScreen else { return }
        isOnScreen = true
        loadViewIfNeeded()
        viewWillAppear(animated)
        shownChild?.enter(animated)
        viewDidAppear(animated)
        presentedViewController?.enter(animated)
    }

    /// Tells the controller, and what it presents, that it leaves the screen.
    func leave(_ animated: Bool = false) {
        guard isOnScreen else { return }
        presentedViewController?.leave(animated)
        isOnScreen = false
        viewWillDisappear(animated)
        shownChild?.leave(animated)
        viewDidDisappear(animated)
    }

    /// Puts other controllers into this one, and one of them on the screen if this one is there.
    func replaceChildren(_ controllers: [UIViewController], shown: UIViewController?, animated: Bool) {
        for child in children where child !== shown { child.leave(animated) }
        let gone = children.filter { child in !controllers.contains { $0 === child } }
        for child in gone {
            child.willMove(toParent: nil)
            child.viewIfLoaded?.removeFromSuperview()
            child.parent = nil
        }
        let new = controllers.filter { $0.parent !== self }
        for child in new {
            child.removeFromParent()
            child.willMove(toParent: self)
            child.parent = self
        }
        children = controllers
        for child in gone { child.didMove(toParent: nil) }
        for child in new { child.didMove(toParent: self) }
        guard isOnScreen, let shown else { return }
        shown.enter(animated)
    }
}
