public import Foundation

/// The screen. Apps are not drawn so far: it has the size of a phone's, and lifecycle code can lay itself out on it.
@preconcurrency @MainActor
open class UIScreen: NSObject {
    /// The screen of the device.
    public static let main = UIScreen()

    private nonisolated override init() { super.init() }

    /// The rectangle of the screen, in points.
    open var bounds: CGRect { CGRect(x: 0, y: 0, width: 375, height: 667) }

    /// Pixels a point.
    open var scale: CGFloat { 2 }
}
