internal import NotificationsWire

/// A `String`: the uniform type identifier of the file, in place of what its ending says.
public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"
/// A `Bool`: no small picture of it is shown. Without meaning here so far.
public let UNNotificationAttachmentOptionsThumbnailHiddenKey = "UNNotificationAttachmentOptionsThumbnailHiddenKey"
/// A rectangle: what of it the small picture shows. Without meaning here so far.
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey =
    "UNNotificationAttachmentOptionsThumbnailClippingRectKey"
/// Seconds: which frame of it the small picture shows. Without meaning here so far.
public let UNNotificationAttachmentOptionsThumbnailTimeKey = "UNNotificationAttachmentOptionsThumbnailTimeKey"

/// A picture, a sound or a film that is shown with a notification.
// Its state is constant.
open class UNNotificationAttachment: NSObject, @unchecked Sendable {
    let info: NotificationAttachmentInfo

    /// What Apple's systems show, by the endings of files: the type, and how many bytes it may have.
    private static let kinds: [(endings: Set<String>, type: String, most: Int)] = [
        (["aif", "aiff"], "public.aiff-audio", 5 << 20), (["wav"], "com.microsoft.waveform-audio", 5 << 20),
        (["mp3"], "public.mp3", 5 << 20), (["m4a"], "public.mpeg-4-audio", 5 << 20),
        (["jpg", "jpeg"], "public.jpeg", 10 << 20), (["gif"], "com.compuserve.gif", 10 << 20),
        (["png"], "public.png", 10 << 20), (["mpg", "mpeg"], "public.mpeg", 50 << 20),
        (["m2v"], "public.mpeg-2-video", 50 << 20), (["mp4"], "public.mpeg-4", 50 << 20),
        (["avi"], "public.avi", 50 << 20),
    ]

    init(_ info: NotificationAttachmentInfo) {
        self.info = info
        super.init()
    }

    /// Attaches a file. It stays where it is, where Apple's systems move it: it has to be there for as long as the
    /// notification may be shown.
    ///
    /// - Parameters:
    ///   - identifier: names it within its notification; an empty one is replaced by a unique one.
    ///   - url: a file in the app's container or bundle.
    ///   - options: by the keys `UNNotificationAttachmentOptions…Key`.
    /// - Throws: `UNError.attachmentInvalidURL`, `.attachmentUnrecognizedType`, `.attachmentInvalidFileSize` (5 MB of
    ///   sound, 10 MB of a picture, 50 MB of a film) or `.attachmentCorrupt` if it cannot be read.
    public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {
        guard url.isFileURL, let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { throw UNError(.attachmentInvalidURL, "Invalid attachment file URL: \(url.absoluteString)") }
        let hint = options?[UNNotificationAttachmentOptionsTypeHintKey] as? String
        guard let kind = Self.kind(of: url, hint) else {
            throw UNError(.attachmentUnrecognizedType, "Unrecognized attachment file type: \(url.lastPathComponent)")
        }
        guard let size = (attributes[.size] as? NSNumber)?.intValue, size > 0, size <= kind.most else {
            throw UNError(.attachmentInvalidFileSize)
        }
        guard FileManager.default.isReadableFile(atPath: url.path) else { throw UNError(.attachmentCorrupt) }
        info = NotificationAttachmentInfo(
            identifier: identifier.isEmpty ? UUID().uuidString : identifier, path: url.standardizedFileURL.path,
            type: kind.type)
        super.init()
    }

    /// Names it within its notification.
    open var identifier: String { info.identifier }
    /// The file.
    open var url: URL { URL(fileURLWithPath: info.path) }
    /// Its uniform type identifier.
    open var type: String { info.type.isEmpty ? Self.kind(of: url, nil)?.type ?? "public.data" : info.type }

    /// Whether it is the same file with the same name.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationAttachment)?.info == info }
    /// Fits `isEqual(_:)`.
    open override var hash: Int { info.hashValue }

    private static func kind(of url: URL, _ hint: String?) -> (type: String, most: Int)? {
        if let hint { return kinds.first { $0.type == hint }.map { ($0.type, $0.most) } }
        let ending = url.pathExtension.lowercased()
        return kinds.first { $0.endings.contains(ending) }.map { ($0.type, $0.most) }
    }
}
