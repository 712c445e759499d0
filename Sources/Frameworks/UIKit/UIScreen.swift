public import Foundation

/// The screen. Apps are not drawn so far: it has the size of that of the device whose profile is used, or of a phone,
/// so that code can lay itself out on it.
@preconcurrency @MainActor
open class UIScreen: NSObject {
    /// The screen of the device.
    public static let main = UIScreen()

    private nonisolated override init() { super.init() }

    /// The rectangle of the screen, in points, held upright.
    open var bounds: CGRect { CGRect(origin: .zero, size: Self.size(UIDevice.profile).points) }

    /// Pixels a point.
    open var scale: CGFloat { Self.size(UIDevice.profile).scale }

    /// The rectangle of the screen, in pixels.
    open var nativeBounds: CGRect {
        let (size, scale) = (bounds.size, scale)
        return CGRect(x: 0, y: 0, width: size.width * scale, height: size.height * scale)
    }

    /// Pixels a point of the screen itself.
    open var nativeScale: CGFloat { scale }

    /// That of the devices that profiles are named after; of others as of a phone of 2014.
    package static func size(_ profile: String?) -> (points: CGSize, scale: CGFloat) {
        switch profile {
        case "iphone-os-3", "iphone-3gs": (CGSize(width: 320, height: 480), 1)
        case "iphone-4": (CGSize(width: 320, height: 480), 2)
        case "ios-7": (CGSize(width: 320, height: 568), 2)
        case "ipad-air-2": (CGSize(width: 768, height: 1024), 2)
        default: (CGSize(width: 375, height: 667), 2)
        }
    }
}
