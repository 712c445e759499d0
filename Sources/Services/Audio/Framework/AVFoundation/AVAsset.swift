internal import AVFAudio
internal import Synchronization

/// Options of `AVURLAsset`: whether the duration has to be exact. It is as exact as the file says.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"
/// Options of `AVURLAsset`: headers of HTTP, as many apps give them.
public let AVURLAssetHTTPHeaderFieldsKey = "AVURLAssetHTTPHeaderFieldsKey"

/// Whether something about an asset is known.
public enum AVKeyValueStatus: Int, Sendable {
    /// Nobody asked.
    case unknown
    /// It is being found out.
    case loading
    /// It is.
    case loaded
    /// It cannot be.
    case failed
    /// Nobody wants to know any more.
    case cancelled
}

/// Something that can be played.
// Immutable; what is found out is behind a mutex.
open class AVAsset: NSObject, @unchecked Sendable {
    let address: URL
    let headers: [String: String]
    private let found = Mutex<CMTime?>(nil)

    init(_ url: URL, _ headers: [String: String]) { (address, self.headers) = (url, headers) }

    /// An asset that is somewhere.
    public convenience init(url URL: URL) { self.init(URL, [:]) }

    /// How long it is; `indefinite` for something of the network that was not opened yet, or that has no end.
    open var duration: CMTime {
        if let known = found.withLock({ $0 }) { return known }
        guard address.isFileURL, let file = try? SoundFile.open(address) else { return .indefinite }
        let duration = file.frames.map { CMTime(value: Int64($0), timescale: Int32(file.rate)) } ?? .indefinite
        found.withLock { $0 = duration }
        return duration
    }

    func learn(_ duration: CMTime) { found.withLock { $0 = duration } }

    /// Whether it can be played, as far as that is known without the network.
    open var isPlayable: Bool { !address.isFileURL || (try? SoundFile.open(address)) != nil }
    /// Whether it is protected: nothing here is.
    open var hasProtectedContent: Bool { false }
    /// The rate that it should be played with.
    open var preferredRate: Float { 1 }
    /// The volume that it should be played with.
    open var preferredVolume: Float { 1 }

    /// Finds things out, then calls.
    ///
    /// - Parameter handler: called on a thread of the system's.
    open func loadValuesAsynchronously(forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil)
    {
        DispatchQueue.global(qos: .userInitiated).async {
            _ = self.duration
            handler?()
        }
    }

    /// Whether something is known.
    open func statusOfValue(forKey key: String, error outError: UnsafeMutablePointer<NSError?>?) -> AVKeyValueStatus {
        isPlayable ? .loaded : .failed
    }

    /// Nobody wants to know any more.
    open func cancelLoading() {}
}

/// Something that can be played, by where it is: a file, or a stream of HTTP and HTTPS.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    // Nothing of its own.

    /// An asset that is somewhere.
    ///
    /// - Parameter options: by the keys `AVURLAsset…`.
    public init(url URL: URL, options: [String: Any]? = nil) {
        super.init(URL, options?[AVURLAssetHTTPHeaderFieldsKey] as? [String: String] ?? [:])
    }

    /// Where it is.
    open var url: URL { address }
}

/// The domain of errors of players.
public let AVFoundationErrorDomain = "AVFoundationErrorDomain"

/// Why something was not played.
public struct AVError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// Apple's numbers.
    public enum Code: Int, Sendable {
        /// Something.
        case unknown = -11800
        /// There is not enough room.
        case diskFull = -11823
        /// It is in no format that is known.
        case fileFormatNotRecognized = -11828
        /// It is broken.
        case fileFailedToParse = -11829
        /// It cannot be opened.
        case cannotOpen = -11835
        /// The server does not answer as it should.
        case serverIncorrectlyConfigured = -11850
        /// Something of the media cannot be decoded.
        case decodeFailed = -11821
        /// There is no connection.
        case noLongerPlayable = -11867
    }

    /// Which it is.
    public let code: Code
    private let sentence: String

    init(_ code: Code, _ sentence: String) { (self.code, self.sentence) = (code, sentence) }

    init(_ error: any Error) {
        guard let error = error as? SoundFileError else {
            self.init(.unknown, String(describing: error))
            return
        }
        let code: Code =
            switch error.kind {
            case .notFound, .cannotWrite: .cannotOpen
            case .unsupported: .fileFormatNotRecognized
            case .broken: .fileFailedToParse
            case .other: .serverIncorrectlyConfigured
            }
        self.init(code, error.description)
    }

    /// `AVFoundationErrorDomain`.
    public static var errorDomain: String { AVFoundationErrorDomain }
    /// Apple's number.
    public var errorCode: Int { code.rawValue }
    /// For people.
    public var errorDescription: String? { sentence }
    /// The same, as `NSError` has it.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence] }
}
