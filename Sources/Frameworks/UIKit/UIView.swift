public import Foundation

/// A rectangle of a window and the views in it. Views are not drawn so far; they form the tree that lifecycle code
/// expects. Use it on the main thread.
@preconcurrency @MainActor
open class UIView: UIResponder {
    /// The rectangle in the coordinates of the view around it, in points.
    open var frame: CGRect = .zero

    /// The rectangle in the view's own coordinates, in points.
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }

    /// Whether the view and what is in it are invisible.
    open var isHidden = false

    /// What is behind everything in it.
    open var backgroundColor: UIColor?

    /// From 0 (invisible) to 1.
    open var alpha: CGFloat = 1

    /// Whether events reach the view.
    open var isUserInteractionEnabled = true

    /// Whether constraints follow from the frame. There are no constraints so far: it is only kept.
    open var translatesAutoresizingMaskIntoConstraints = true

    /// What sees the gestures on the view.
    open var gestureRecognizers: [UIGestureRecognizer]?

    /// A number of the app's choice.
    open var tag = 0

    /// The view around this one.
    open private(set) weak var superview: UIView?

    /// The views in this one, the backmost first.
    open private(set) var subviews: [UIView] = []

    /// The controller whose `view` this is.
    weak var controller: UIViewController?

    /// Creates an empty view of no size.
    public nonisolated override init() { super.init() }

    /// Creates an empty view.
    public init(frame: CGRect) {
        super.init()
        self.frame = frame
    }

    /// Creates an empty view. There are no nib files here: nothing is decoded.
    public required init?(coder: NSCoder) { super.init() }

    /// The window that the view is in; `nil` while it is in none.
    open var window: UIWindow? { superview?.window }

    /// The view's controller, else the view around it.
    open override var next: UIResponder? { controller ?? superview }

    /// Puts a view in front of the others in this one; it leaves the view that it was in.
    open func addSubview(_ view: UIView) {
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
    }

    /// Takes the view out of the view that it is in.
    open func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
    }
}
