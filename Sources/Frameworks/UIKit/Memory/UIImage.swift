public import Foundation

/// A picture. There is no screen to draw on so far: an image is the bytes of a PNG or JPEG file and its size.
/// Immutable, so it may be used on any thread.
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
    /// - Returns: `nil` if there is no such file, or if it is neither a PNG nor a JPEG.
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
    /// - Returns: `nil` if it cannot be read, or is neither a PNG nor a JPEG.
    public init?(contentsOfFile path: String) {
        guard let content = ImageContent(contentsOfFile: path) else { return nil }
        self.content = content
    }

    /// An image of a file's bytes.
    ///
    /// - Returns: `nil` if they are neither a PNG nor a JPEG.
    public init?(data: Data) {
        guard let content = ImageContent(data, scale: 1) else { return nil }
        self.content = content
    }

    /// An image of a file's bytes.
    ///
    /// - Parameter scale: pixels in a point, above 0.
    /// - Returns: `nil` if they are neither a PNG nor a JPEG.
    public init?(data: Data, scale: CGFloat) {
        guard let content = ImageContent(data, scale: scale) else { return nil }
        self.content = content
    }

    /// The bytes of the image as a PNG file; `nil` of a JPEG, since nothing here turns one into the other.
    open func pngData() -> Data? { content.isPNG ? content.data : nil }

    /// The bytes of the image as a JPEG file: its own, whatever the quality; `nil` of a PNG.
    ///
    /// - Parameter compressionQuality: from 0 to 1.
    open func jpegData(compressionQuality: CGFloat) -> Data? { content.isPNG ? nil : content.data }

    /// The bytes of its file, and what they are.
    package var file: (data: Data, extension: String) { (content.data, content.isPNG ? "png" : "jpg") }

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
    let isPNG: Bool
    let width: CGFloat
    let height: CGFloat

    /// `nil` for what is neither a PNG nor a JPEG.
    init?(_ data: Data, scale: CGFloat) {
        guard scale > 0, let size = Self.sizeOfPNG(data) ?? Self.sizeOfJPEG(data), size.width > 0, size.height > 0
        else { return nil }
        self.data = data
        self.scale = scale
        isPNG = size.isPNG
        (width, height) = (CGFloat(size.width), CGFloat(size.height))
    }

    private typealias Size = (width: Int, height: Int, isPNG: Bool)

    private static func number(_ data: Data, at offset: Int, bytes: Int) -> Int {
        data.dropFirst(offset).prefix(bytes).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Signature, length and name of the first chunk, then width and height as big-endian words.
    private static func sizeOfPNG(_ data: Data) -> Size? {
        let start: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        guard data.count >= start.count + 8, data.starts(with: start) else { return nil }
        return (number(data, at: start.count, bytes: 4), number(data, at: start.count + 4, bytes: 4), true)
    }

    /// Segments with a marker and a length; the size is in the one that begins a frame, behind its precision.
    private static func sizeOfJPEG(_ data: Data) -> Size? {
        guard data.starts(with: [0xff, 0xd8, 0xff]) else { return nil }
        var place = 2
        while place + 9 < data.count, number(data, at: place, bytes: 1) == 0xff {
            let marker = number(data, at: place + 1, bytes: 1)
            // 0xff may fill up; some markers have no segment.
            if marker == 0xff {
                place += 1
                continue
            }
            if marker == 0x01 || (0xd0...0xd8).contains(marker) {
                place += 2
                continue
            }
            // The picture itself, or its end: no frame came before.
            if marker == 0xda || marker == 0xd9 { return nil }
            if (0xc0...0xcf).contains(marker), ![0xc4, 0xc8, 0xcc].contains(marker) {
                return (number(data, at: place + 7, bytes: 2), number(data, at: place + 5, bytes: 2), false)
            }
            let length = number(data, at: place + 2, bytes: 2)
            guard length >= 2 else { return nil }
            place += 2 + length
        }
        return nil
    }

    convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let name = (path as NSString).deletingPathExtension
        self.init(data, scale: name.hasSuffix("@3x") ? 3 : name.hasSuffix("@2x") ? 2 : 1)
    }
}
