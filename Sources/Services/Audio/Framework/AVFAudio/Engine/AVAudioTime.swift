/// A moment: by the clock of the system, by the number of a frame, or by both.
// Immutable.
open class AVAudioTime: NSObject, @unchecked Sendable {
    /// Nanoseconds of the system's clock.
    public let hostTime: UInt64
    /// Whether there is such a time.
    public let isHostTimeValid: Bool
    /// The number of the frame.
    public let sampleTime: AVAudioFramePosition
    /// Frames per second.
    public let sampleRate: Double
    /// Whether there is such a number.
    public let isSampleTimeValid: Bool

    /// A moment of the system's clock.
    public init(hostTime: UInt64) {
        (self.hostTime, isHostTimeValid) = (hostTime, true)
        (sampleTime, sampleRate, isSampleTimeValid) = (0, 0, false)
    }

    /// The moment of a frame.
    public init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        (hostTime, isHostTimeValid) = (0, false)
        (self.sampleTime, self.sampleRate, isSampleTimeValid) = (sampleTime, sampleRate, sampleRate > 0)
    }

    /// The moment of a frame, by both.
    public init(hostTime: UInt64, sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        (self.hostTime, isHostTimeValid) = (hostTime, true)
        (self.sampleTime, self.sampleRate, isSampleTimeValid) = (sampleTime, sampleRate, sampleRate > 0)
    }

    /// The system's clock for so many seconds.
    open class func hostTime(forSeconds seconds: TimeInterval) -> UInt64 {
        seconds.isFinite && seconds > 0 ? UInt64(min(seconds, 1e9) * 1e9) : 0
    }

    /// Seconds of the system's clock.
    open class func seconds(forHostTime hostTime: UInt64) -> TimeInterval { Double(hostTime) / 1e9 }

    /// This moment with what another one tells about frames and the clock; `nil` if that does not help.
    open func extrapolateTime(fromAnchor anchorTime: AVAudioTime) -> AVAudioTime? {
        guard anchorTime.isHostTimeValid, anchorTime.isSampleTimeValid else { return nil }
        let rate = anchorTime.sampleRate
        if isSampleTimeValid {
            let seconds = Double(sampleTime) / sampleRate - Double(anchorTime.sampleTime) / rate
            let host = Double(anchorTime.hostTime) + seconds * 1e9
            return AVAudioTime(hostTime: UInt64(max(0, host)), sampleTime: sampleTime, atRate: sampleRate)
        }
        let seconds = (Double(hostTime) - Double(anchorTime.hostTime)) / 1e9
        let sample = anchorTime.sampleTime + AVAudioFramePosition(seconds * rate)
        return AVAudioTime(hostTime: hostTime, sampleTime: sample, atRate: rate)
    }
}
