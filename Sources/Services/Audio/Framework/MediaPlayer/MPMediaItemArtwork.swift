/// A picture of what plays, in any size.
// Immutable; the handler may be called on any thread, as Apple's documentation says.
open class MPMediaItemArtwork: NSObject, @unchecked Sendable {
    private let size: CGSize
    private let requestHandler: (CGSize) -> UIImage

    /// A picture that is made when it is asked for.
    ///
    /// - Parameters:
    ///   - boundsSize: the largest size.
    ///   - requestHandler: makes it in a size; called on any thread.
    public init(boundsSize: CGSize, requestHandler: @escaping (CGSize) -> UIImage) {
        (size, self.requestHandler) = (boundsSize, requestHandler)
    }

    /// A picture that is there.
    @available(*, deprecated, renamed: "init(boundsSize:requestHandler:)")
    public convenience init(image: UIImage) { self.init(boundsSize: image.size) { _ in image } }

    /// The largest size, at the origin.
    open var bounds: CGRect { CGRect(origin: .zero, size: size) }
    /// What of it is to be seen.
    open var imageCropRect: CGRect { bounds }
    /// The picture in a size.
    open func image(at size: CGSize) -> UIImage? { requestHandler(size) }
}

/// The picture as a file, since desktops ask for one. There is one at a time.
struct ArtworkFile {
    private weak var artwork: MPMediaItemArtwork?
    private var url: URL?

    /// `nil` where there is no picture, or no room for it.
    mutating func path(for artwork: MPMediaItemArtwork?) -> String? {
        guard let artwork else {
            remove()
            return nil
        }
        if artwork === self.artwork, let url { return url.path }
        self.artwork = artwork
        guard let file = artwork.image(at: artwork.bounds.size)?.file,
            let folder = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?
                .appendingPathComponent("greenroom.artwork", isDirectory: true)
        else {
            remove()
            return nil
        }
        // Another name for another picture: who shows it keeps it by its name.
        let new = folder.appendingPathComponent(Self.name(file.data, file.extension))
        if new == url { return new.path }
        remove()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try file.data.write(to: new, options: .atomic)
        } catch {
            return nil
        }
        url = new
        self.artwork = artwork
        return new.path
    }

    mutating func remove() {
        if let url { try? FileManager.default.removeItem(at: url) }
        (url, artwork) = (nil, nil)
    }

    private static func name(_ data: Data, _ suffix: String) -> String {
        // FNV-1a.
        let hash = data.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "\(ProcessInfo.processInfo.processIdentifier)-\(String(hash, radix: 16)).\(suffix)"
    }
}
