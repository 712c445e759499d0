/// What a stream is opened with.
package struct AudioStreamSetup: Hashable, Sendable {
    /// Its number for the audio service.
    package var stream: Int64
    /// As mixers show it.
    package var name: String
    /// Frames per second.
    package var rate: Int
    package var channels: Int

    package init(stream: Int64, name: String, rate: Int, channels: Int) {
        self.stream = stream
        self.name = name
        self.rate = rate
        self.channels = channels
    }
}

/// What an app would like its device to do.
package struct AudioPreference: Hashable, Sendable {
    /// Seconds that it works on at once.
    package var seconds: Double?
    /// Frames per second.
    package var rate: Int?

    package init(seconds: Double? = nil, rate: Int? = nil) { (self.seconds, self.rate) = (seconds, rate) }

    /// Frames that it would like the device to work on at once, of so many per second.
    package func frames(_ rate: Int) -> Int? {
        seconds.map { max(1, Int((min($0, Self.longest) * Double(rate)).rounded())) }
    }

    /// Seconds; no graph works on more at once, and the product has to be a number of frames.
    private static let longest = 10.0
}

/// What streams say, on any thread, never while one of their methods runs on the same thread.
package enum AudioStreamEvent: Hashable, Sendable {
    /// An output has room for more, or an input has something to read.
    case ready
    /// The sound server has gone. The stream comes back by itself, and goes on where it was.
    case lost
    case back
    /// It does not come back.
    case failed(String)
}

/// Where samples go. It begins paused. One thread at a time writes and flushes.
package protocol AudioOutput: AnyObject, Sendable {
    func start()
    /// What was written and not heard stays.
    func pause()
    /// Throws away what was written and not heard.
    ///
    /// - Returns: the number of the frame that is written next.
    func flush() -> Int
    /// - Returns: how many frames of these interleaved samples there was room for.
    func write(_ samples: ArraySlice<Float>) -> Int
    /// How many seconds it keeps ahead. It is ready for more when half of them were heard.
    func setAhead(_ seconds: Double)
    /// Nothing follows what was written; writing takes that back.
    func finish()
    /// Frames that were heard, without those that were thrown away.
    var position: Int { get }
    func close()
}

/// Where samples come from. It begins paused.
package protocol AudioInput: AnyObject, Sendable {
    func start()
    func pause()
    /// Throws away what was not read.
    func flush()
    /// At most so many frames of interleaved samples: what is there.
    func read(_ frames: Int) -> [Float]
    func close()
}

/// Something that is to happen later.
package protocol AudioTimer: AnyObject, Sendable {
    func cancel()
}

/// What plays and records, and its time: the sound server of the machine, or what tests and simulations have for it.
package protocol AudioDevice: AnyObject, Sendable {
    typealias Listener = @Sendable (AudioStreamEvent) -> Void

    /// Seconds, as streams play.
    var now: Double { get }
    /// Frames per second that it works with itself, as far as it has been seen at work.
    var rate: Int { get }
    /// Frames that it works on at once, likewise.
    var period: Int { get }
    /// What its streams ask of it from now on. It may do otherwise: `rate` and `period` say what it does.
    func prefer(_ preference: AudioPreference)
    /// Seconds between writing a frame and hearing it, at least.
    var latency: Double { get }
    func later(_ seconds: Double, _ body: @escaping @Sendable () -> Void) -> any AudioTimer
    func openOutput(_ setup: AudioStreamSetup, _ listener: @escaping Listener) throws -> any AudioOutput
    func openInput(_ setup: AudioStreamSetup, _ listener: @escaping Listener) throws -> any AudioInput
}
