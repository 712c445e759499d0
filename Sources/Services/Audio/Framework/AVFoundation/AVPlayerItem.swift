internal import AVFAudio
internal import IOSFoundation
internal import Synchronization

extension NSNotification.Name {
    /// An item was played to its end.
    public static let AVPlayerItemDidPlayToEndTime = NSNotification.Name("AVPlayerItemDidPlayToEndTimeNotification")
    /// An item could not be played to its end.
    public static let AVPlayerItemFailedToPlayToEndTime = NSNotification.Name(
        "AVPlayerItemFailedToPlayToEndTimeNotification")
    /// What is played next has not come in time. It goes on by itself.
    public static let AVPlayerItemPlaybackStalled = NSNotification.Name("AVPlayerItemPlaybackStalledNotification")
    /// An item is elsewhere than before.
    public static let AVPlayerItemTimeJumped = NSNotification.Name("AVPlayerItemTimeJumpedNotification")
}

/// In the user information of a failure: the error.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

/// How sound is stretched.
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public var rawValue: String
    /// Creates one of Apple's name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// For speech and music. There is one here.
    public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
    /// For music.
    public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
    /// Faster is higher.
    public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")
    /// For little work.
    public static let lowQualityZeroLatency = AVAudioTimePitchAlgorithm(rawValue: "LowQualityZeroLatency")
}

/// An asset as a player plays it: how far, and whether it can be.
// What changes is behind a mutex.
open class AVPlayerItem: NSObject, @unchecked Sendable {
    /// Whether it can be played.
    public enum Status: Int, Sendable {
        /// That is not known yet.
        case unknown = 0
        /// It can.
        case readyToPlay = 1
        /// It never will be.
        case failed = 2
    }

    enum Phase: Sendable {
        case idle
        case opening
        case ready(FileSource, BufferedReader?)
        case failed(AVError)
    }

    private struct State: Sendable {
        var phase = Phase.idle
        var bytes: HTTPBytes?
        /// Where it is wanted, before it is open.
        var start: Double?
        var forward = 0.0
        var algorithm = AVAudioTimePitchAlgorithm.timeDomain
        var opened: [@Sendable () -> Void] = []
    }

    /// The same as `AVPlayerItemDidPlayToEndTime`.
    public static let didPlayToEndTimeNotification = NSNotification.Name.AVPlayerItemDidPlayToEndTime
    /// The same as `AVPlayerItemFailedToPlayToEndTime`.
    public static let failedToPlayToEndTimeNotification = NSNotification.Name.AVPlayerItemFailedToPlayToEndTime
    /// The same as `AVPlayerItemPlaybackStalled`.
    public static let playbackStalledNotification = NSNotification.Name.AVPlayerItemPlaybackStalled
    /// The same as `AVPlayerItemTimeJumped`.
    public static let timeJumpedNotification = NSNotification.Name.AVPlayerItemTimeJumped

    /// What is played.
    public let asset: AVAsset
    private let state = Mutex(State())
    let core = Mutex(PlayerReference())

    struct PlayerReference: Sendable {
        weak var player: AVPlayerCore?
    }

    /// An item for what is somewhere.
    public convenience init(url URL: URL) { self.init(asset: AVURLAsset(url: URL)) }

    /// An item for an asset.
    public convenience init(asset: AVAsset) { self.init(asset: asset, automaticallyLoadedAssetKeys: nil) }

    /// An item for an asset.
    ///
    /// - Parameter automaticallyLoadedAssetKeys: what is found out first: all that there is.
    public init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) { self.asset = asset }

    deinit { close() }

    // MARK: Opening

    var phase: Phase { state.withLock { $0.phase } }

    /// Opens it, unless it is; then calls, on any thread.
    func open(_ completion: @escaping @Sendable () -> Void) {
        let begins = state.withLock { state -> Bool? in
            switch state.phase {
            case .idle:
                state.phase = .opening
                state.opened.append(completion)
                return true
            case .opening:
                state.opened.append(completion)
                return false
            case .ready, .failed: return nil
            }
        }
        guard let begins else { return completion() }
        guard begins else { return }
        if asset.address.isFileURL {
            do throws(SoundFileError) {
                become(.ready(FileSource(try SoundFile.open(asset.address)), nil))
            } catch {
                become(.failed(AVError(error)))
            }
        } else if ["http", "https"].contains(asset.address.scheme?.lowercased()) {
            openStream()
        } else {
            become(.failed(AVError(.cannotOpen, "\(asset.address) is neither a file nor a stream of HTTP")))
        }
    }

    /// Calls when it plays on without waiting, or never will; on any thread.
    package func whenLikelyToKeepUp(_ body: @escaping @Sendable () -> Void) {
        open { [weak self] in
            guard let self, case .ready(_, let reader?) = phase else { return body() }
            reader.whenFed(body)
        }
    }

    private func openStream() {
        let bytes = HTTPBytes(asset.address, headers: asset.headers)
        state.withLock { $0.bytes = bytes }
        BufferedReader.open(bytes, name: asset.address.lastPathComponent) { [weak self] outcome in
            switch outcome {
            case .opened(let reader):
                guard let self else { return reader.close() }
                become(.ready(FileSource(reader), reader))
            case .failed(let error): self?.become(.failed(AVError(error)))
            }
        }
    }

    private func become(_ phase: Phase) {
        if case .ready(let source, let reader) = phase {
            let knowsEnd = reader.map { $0.frames != nil } ?? true
            asset.learn(
                knowsEnd ? CMTime(seconds: source.duration, preferredTimescale: Int32(source.rate)) : .indefinite)
        }
        let (opened, start) = state.withLock { state in
            defer { (state.opened, state.start) = ([], nil) }
            state.phase = phase
            return (state.opened, state.start)
        }
        if let start, case .ready(let source, _) = phase { source.seek(to: start) }
        for one in opened { one() }
        tellObserversSoon()
    }

    func close() {
        let (phase, bytes) = state.withLock { state in
            defer { if case .opening = state.phase { state.phase = .idle } }
            return (state.phase, state.bytes)
        }
        bytes?.close()
        if case .ready(_, let reader) = phase { reader?.close() }
    }

    /// - Returns: whether it can be anywhere by now.
    func setStart(_ seconds: Double) -> Bool {
        state.withLock { state in
            switch state.phase {
            case .idle, .opening:
                state.start = seconds
                return true
            case .ready, .failed: return false
            }
        }
    }

    // MARK: How it is

    /// Whether it can be played.
    open var status: Status {
        switch phase {
        case .idle, .opening: .unknown
        case .ready: .readyToPlay
        case .failed: .failed
        }
    }

    /// Why it cannot.
    open var error: (any Error)? {
        if case .failed(let error) = phase { return error }
        return nil
    }

    /// How long it is; `indefinite` as long as that is not known.
    open var duration: CMTime {
        if case .ready = phase { return asset.duration }
        return .indefinite
    }

    /// What of it has come, as `timeRangeValue`; nothing as long as its end is not known.
    ///
    /// Of compressed sound they are as exact as its rate is steady.
    open var loadedTimeRanges: [NSValue] {
        guard case .ready(_, let reader) = phase, duration.isNumeric else { return [] }
        let bytes = state.withLock { $0.bytes }
        let parts = reader == nil ? [0...1] : bytes?.parts ?? []
        func time(_ share: Double) -> CMTime {
            CMTime(seconds: duration.seconds * share, preferredTimescale: duration.timescale)
        }
        return parts.map {
            CMBoxedTime(timeRange: CMTimeRange(start: time($0.lowerBound), end: time($0.upperBound)))
        }
    }

    /// Where it can go: anywhere, once its end is known.
    open var seekableTimeRanges: [NSValue] {
        duration.isNumeric ? [CMBoxedTime(timeRange: CMTimeRange(start: .zero, duration: duration))] : []
    }

    /// How much of it has come, from 0 to 1.
    public var loadedFraction: Double {
        guard case .ready(_, let reader) = phase else { return 0 }
        return reader == nil ? 1 : state.withLock { $0.bytes }?.fraction ?? 0
    }

    /// Whether it will play on without waiting.
    open var isPlaybackLikelyToKeepUp: Bool {
        guard case .ready(_, let reader) = phase else { return false }
        return reader?.keepsUp ?? true
    }
    /// Whether it waits for what comes.
    open var isPlaybackBufferEmpty: Bool { !isPlaybackLikelyToKeepUp }
    /// Whether all that fits has come.
    open var isPlaybackBufferFull: Bool { loadedFraction >= 1 }
    /// Seconds that the app would like to be ahead. All of it is fetched at once, whatever it says.
    open var preferredForwardBufferDuration: TimeInterval {
        get { state.withLock { $0.forward } }
        set { state.withLock { $0.forward = newValue } }
    }
    /// How sound is stretched. There is one way here.
    open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get { state.withLock { $0.algorithm } }
        set { state.withLock { $0.algorithm = newValue } }
    }

    /// Where it is.
    open func currentTime() -> CMTime {
        let seconds = core.withLock { $0.player }?.position(of: self) ?? state.withLock { $0.start } ?? ownPosition
        return CMTime(seconds: seconds, preferredTimescale: 1_000_000)
    }

    private var ownPosition: Double {
        if case .ready(let source, _) = phase { return source.position }
        return 0
    }

    /// Goes elsewhere.
    ///
    /// - Parameter completionHandler: called when it is there, on any thread.
    open func seek(to time: CMTime, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        let seconds = time.seconds.isFinite ? max(0, time.seconds) : 0
        if let player = core.withLock({ $0.player }) {
            player.seek(self, to: seconds)
        } else if !setStart(seconds), case .ready(let source, _) = phase {
            source.seek(to: seconds)
        }
        completionHandler?(true)
    }
}
