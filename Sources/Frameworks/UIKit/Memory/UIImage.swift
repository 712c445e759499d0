public import Foundation

/// A picture. There is no screen to draw on so far: an image is the bytes of a PNG file and its size. Immutable, so it
/// may be used on any thread.
open class UIImage: NSObject, @unchecked Sendable {
    private let content: ImageContent

    /// The size in points: pixels divided by `scale`.
    open var size: CGSize { CGSize(width: content.width / scale, height: content.height / scale) }

    /// Pixels in a point; 2 or 3 for files whose name ends in `@2x` or `@3x`.
    open var scale: CGFloat { content.scale }

    /// An image of the app's bundle, by the name of its file; `.png` is added where the name has no extension, and a
    /// file `NAME@2x.png` or `NAME@3x.png` is found as well.
    ///
    /// It comes from a cache. On a memory warning and on entering the background, the cache lets go of the images that
    /// the app does not hold; asked for again, they are read again (WWDC 2010, session 105). For a picture that is
    /// shown once use `init(contentsOfFile:)`, which caches nothing.
    ///
    /// - Parameter name: relative to the bundle's folder of resources.
    /// - Returns: `nil` if there is no such file, or if it is not a PNG.
    public convenience init?(named name: String) {
        self.init(named: name, in: nil)
    }

    /// An image of a bundle, as `init(named:)`.
    ///
    /// - Parameter bundle: `nil` for the app's own.
    public init?(named name: String, in bundle: Bundle?) {
        guard let content = NamedImages.content(name, in: bundle ?? .main) else { return nil }
        self.content = content
    }

    /// An image of a file.
    ///
    /// - Returns: `nil` if it cannot be read, or is not a PNG.
    public init?(contentsOfFile path: String) {
        guard let content = ImageContent(contentsOfFile: path) else { return nil }
        self.content = content
    }

    /// An image of a file's bytes.
    ///
    /// - Returns: `nil` if they are not a PNG.
    public init?(data: Data) {
        guard let content = ImageContent(data, scale: 1) else { return nil }
        self.content = content
    }

    /// An image of a file's bytes.
    ///
    /// - Parameter scale: pixels in a point, above 0.
    /// - Returns: `nil` if they are not a PNG.
    public init?(data: Data, scale: CGFloat) {
        guard let content = ImageContent(data, scale: scale) else { return nil }
        self.content = content
    }

    /// The bytes of the image as a PNG file.
    open func pngData() -> Data? { content.data }

    /// Whether two images have the same bytes and scale.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UIImage else { return false }
        return content === other.content || (content.scale == other.scale && content.data == other.content.data)
    }

    /// Equal for images that are equal.
    open override var hash: Int { content.data.hashValue }
}

/// What several images of one name share.
final class ImageContent: Sendable {
    let data: Data
    let scale: CGFloat
    let width: CGFloat
    let height: CGFloat

    /// `nil` for what is not a PNG.
    init?(_ data: Data, scale: CGFloat) {
        // Signature, length and name of the first chunk, then width and height as big-endian words.
        let start: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        guard data.count >= start.count + 8, data.starts(with: start), scale > 0 else { return nil }
        func number(at offset: Int) -> CGFloat {
            CGFloat(data.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) })
        }
        self.data = data
        self.scale = scale
        width = number(at: start.count)
        height = number(at: start.count + 4)
        guard width > 0, height > 0 else { return nil }
    }

    convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let name = (path as NSString).deletingPathExtension
        self.init(data, scale: name.hasSuffix("@3x") ? 3 : name.hasSuffix("@2x") ? 2 : 1)
    }
}
