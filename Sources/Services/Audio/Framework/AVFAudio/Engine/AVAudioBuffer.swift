/// Samples in memory.
open class AVAudioBuffer: NSObject {
    /// What they are.
    public let format: AVAudioFormat

    init(_ format: AVAudioFormat) { self.format = format }
}

/// Samples as they are, for all channels. One thread at a time uses it.
@safe open class AVAudioPCMBuffer: AVAudioBuffer {
    private let memory: UnsafeMutableRawBufferPointer
    private let floats: UnsafeMutablePointer<UnsafeMutablePointer<Float>>?
    private let words: UnsafeMutablePointer<UnsafeMutablePointer<Int16>>?
    private let longs: UnsafeMutablePointer<UnsafeMutablePointer<Int32>>?

    /// How many frames there is room for.
    public let frameCapacity: AVAudioFrameCount
    private var length: AVAudioFrameCount = 0

    /// A buffer without frames; `nil` where the format is not one of samples in memory.
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        let width: Int
        switch format.commonFormat {
        case .pcmFormatFloat32, .pcmFormatInt32: width = 4
        case .pcmFormatInt16: width = 2
        case .pcmFormatFloat64: width = 8
        case .otherFormat: return nil
        }
        let channels = Int(format.channelCount)
        let bytes = Int(frameCapacity) * channels * width
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes), alignment: 16)
        unsafe self.memory = memory
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        let step = format.isInterleaved ? 1 : Int(frameCapacity)
        func channelPointers<Sample>(_: Sample.Type) -> UnsafeMutablePointer<UnsafeMutablePointer<Sample>>? {
            guard let base = memory.baseAddress else { return nil }
            let samples = unsafe base.bindMemory(to: Sample.self, capacity: max(1, Int(frameCapacity) * channels))
            let pointers = UnsafeMutablePointer<UnsafeMutablePointer<Sample>>.allocate(capacity: channels)
            for channel in 0..<channels {
                unsafe (pointers + channel).initialize(to: samples + channel * step)
            }
            return unsafe pointers
        }
        unsafe floats = unsafe format.commonFormat == .pcmFormatFloat32 ? channelPointers(Float.self) : nil
        unsafe words = unsafe format.commonFormat == .pcmFormatInt16 ? channelPointers(Int16.self) : nil
        unsafe longs = unsafe format.commonFormat == .pcmFormatInt32 ? channelPointers(Int32.self) : nil
        self.frameCapacity = frameCapacity
        super.init(format)
    }

    deinit {
        unsafe floats?.deallocate()
        unsafe words?.deallocate()
        unsafe longs?.deallocate()
        unsafe memory.deallocate()
    }

    /// How many frames it has; no more than there is room for.
    open var frameLength: AVAudioFrameCount {
        get { length }
        set { length = min(newValue, frameCapacity) }
    }

    /// From a sample of a channel to its next.
    open var stride: Int { format.isInterleaved ? Int(format.channelCount) : 1 }

    /// The samples of each channel, if they are `Float`.
    open var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? { unsafe UnsafePointer(floats) }
    /// The samples of each channel, if they are `Int16`.
    open var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? { unsafe UnsafePointer(words) }
    /// The samples of each channel, if they are `Int32`.
    open var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? { unsafe UnsafePointer(longs) }

    // MARK: As the engine has samples

    private func place(_ frame: Int, _ channel: Int) -> Int {
        format.isInterleaved
            ? frame * Int(format.channelCount) + channel : channel * Int(frameCapacity) + frame
    }

    /// Interleaved, of some frames.
    func samples(_ frames: Range<Int>) -> [Float] {
        let channels = Int(format.channelCount)
        let frames = frames.clamped(to: 0..<Int(length))
        var result: [Float] = []
        result.reserveCapacity(frames.count * channels)
        for frame in frames {
            for channel in 0..<channels { result.append(sample(place(frame, channel))) }
        }
        return result
    }

    private func sample(_ place: Int) -> Float {
        func read<Sample>(_: Sample.Type) -> Sample {
            unsafe memory.load(fromByteOffset: place * MemoryLayout<Sample>.stride, as: Sample.self)
        }
        switch format.commonFormat {
        case .pcmFormatFloat32: return read(Float.self)
        case .pcmFormatFloat64: return Float(read(Double.self))
        case .pcmFormatInt16: return Float(read(Int16.self)) / 32_768
        case .pcmFormatInt32: return Float(Double(read(Int32.self)) / 2_147_483_648)
        case .otherFormat: return 0
        }
    }

    /// Puts interleaved samples behind those that it has: how many frames there was room for.
    @discardableResult
    func append(_ samples: [Float]) -> Int {
        let channels = Int(format.channelCount)
        let start = Int(length)
        let count = min(samples.count / channels, Int(frameCapacity) - start)
        for frame in 0..<count {
            for channel in 0..<channels { store(samples[frame * channels + channel], place(start + frame, channel)) }
        }
        length += AVAudioFrameCount(count)
        return count
    }

    private func store(_ sample: Float, _ place: Int) {
        func write<Sample>(_ value: Sample) {
            unsafe memory.storeBytes(of: value, toByteOffset: place * MemoryLayout<Sample>.stride, as: Sample.self)
        }
        let bounded = sample.isFinite ? max(-1, min(1, sample)) : 0
        switch format.commonFormat {
        case .pcmFormatFloat32: write(sample)
        case .pcmFormatFloat64: write(Double(sample))
        case .pcmFormatInt16: write(Int16((bounded * 32_767).rounded()))
        case .pcmFormatInt32: write(Int32((Double(bounded) * 2_147_483_647).rounded()))
        case .otherFormat: break
        }
    }
}
