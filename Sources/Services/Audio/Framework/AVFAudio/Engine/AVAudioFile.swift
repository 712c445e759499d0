/// A file of sound, for reading or for writing frames. One thread at a time uses it.
open class AVAudioFile: NSObject {
    /// Where it is.
    public let url: URL
    /// What is in it.
    public let fileFormat: AVAudioFormat
    /// What it is read and written as.
    public let processingFormat: AVAudioFormat
    let file: SoundFile
    private let isWritten: Bool
    private var position = 0
    private var written = 0

    /// Opens a file for reading.
    ///
    /// - Throws: an `NSError` whose description says what is wrong with the file.
    public convenience init(forReading fileURL: URL) throws {
        try self.init(forReading: fileURL, commonFormat: .pcmFormatFloat32, interleaved: false)
    }

    /// Opens a file for reading as some format.
    public init(forReading fileURL: URL, commonFormat format: AVAudioCommonFormat, interleaved: Bool) throws {
        url = fileURL
        file = try AVAudioSession.mapped { try SoundFile.open(fileURL) }
        isWritten = false
        fileFormat = .ofFile(file.kind, rate: file.rate, channels: file.channels)
        processingFormat = try Self.processing(format, file.rate, file.channels, interleaved)
        super.init()
    }

    /// Makes a file for writing, in the place of one of its name.
    public convenience init(forWriting fileURL: URL, settings: [String: Any]) throws {
        try self.init(
            forWriting: fileURL, settings: settings, commonFormat: .pcmFormatFloat32, interleaved: false)
    }

    /// Makes a file for writing as some format.
    public init(
        forWriting fileURL: URL, settings: [String: Any], commonFormat format: AVAudioCommonFormat, interleaved: Bool
    ) throws {
        url = fileURL
        let rate = SoundKind.setting(AVSampleRateKey, settings) ?? 44_100
        let channels = SoundKind.setting(AVNumberOfChannelsKey, settings) ?? 2
        let kind = try AVAudioSession.mapped { try SoundKind(fileURL, settings) }
        file = try AVAudioSession.mapped {
            try SoundFile.create(
                fileURL, kind: kind, rate: rate, channels: channels,
                bitRate: SoundKind.bitRate(settings, rate: rate, channels: channels))
        }
        isWritten = true
        fileFormat = .ofFile(kind, rate: rate, channels: channels)
        processingFormat = try Self.processing(format, rate, channels, interleaved)
        super.init()
    }

    private static func processing(
        _ format: AVAudioCommonFormat, _ rate: Int, _ channels: Int, _ interleaved: Bool
    ) throws -> AVAudioFormat {
        let found = AVAudioFormat(
            commonFormat: format, sampleRate: Double(rate), channels: AVAudioChannelCount(channels),
            interleaved: interleaved)
        guard let found else { throw AVAudioSession.error(.badParam, "samples cannot be handed over in such a format") }
        return found
    }

    /// How many frames it has.
    open var length: AVAudioFramePosition { AVAudioFramePosition(isWritten ? written : file.frames ?? 0) }

    /// The frame that is read or written next.
    open var framePosition: AVAudioFramePosition {
        get { AVAudioFramePosition(isWritten ? written : position) }
        set {
            guard !isWritten else { return }
            position = file.seek(to: Int(clamping: newValue)) ?? position
        }
    }

    /// Whether it is open.
    open private(set) var isOpen = true

    /// Closes it. What was written is in the file.
    open func close() {
        file.close()
        isOpen = false
    }

    /// Fills a buffer; at the end with less.
    open func read(into buffer: AVAudioPCMBuffer) throws { try read(into: buffer, frameCount: buffer.frameCapacity) }

    /// Fills a buffer with so many frames; at the end with less.
    open func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws {
        guard !isWritten, isOpen, buffer.format.channelCount == processingFormat.channelCount else {
            throw AVAudioSession.error(.badParam, "the buffer's format is not the one that \(url.path) is read as")
        }
        buffer.frameLength = 0
        let wanted = Int(min(frames, buffer.frameCapacity))
        while Int(buffer.frameLength) < wanted {
            let samples = file.read(min(4096, wanted - Int(buffer.frameLength)))
            if samples.isEmpty { break }
            buffer.append(samples)
            position += samples.count / file.channels
        }
        guard buffer.frameLength == 0, wanted > 0 else { return }
        // kAudioFileEndOfFileError
        throw NSError(
            domain: NSOSStatusErrorDomain, code: -39,
            userInfo: [NSLocalizedDescriptionKey: file.failure ?? "\(url.path) has no more frames"])
    }

    /// Writes the frames of a buffer.
    open func write(from buffer: AVAudioPCMBuffer) throws {
        guard isWritten, isOpen, buffer.format.channelCount == processingFormat.channelCount else {
            throw AVAudioSession.error(.badParam, "the buffer's format is not the one that \(url.path) is written as")
        }
        let frames = file.write(buffer.samples(0..<Int(buffer.frameLength)))
        written += frames
        guard frames == Int(buffer.frameLength) else {
            throw SoundFile.error(SoundFileError(.cannotWrite, "\(url.path) could not be written"))
        }
    }
}
