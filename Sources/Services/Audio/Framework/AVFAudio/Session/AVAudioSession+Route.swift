internal import AudioClient
internal import AudioDevices
internal import AudioModel
internal import Synchronization

extension AVAudioSession {
    /// A kind of place where sound goes, or comes from.
    public struct Port: RawRepresentable, Hashable, Sendable {
        /// Apple's name.
        public var rawValue: String
        /// Creates a port of Apple's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An input that is plugged in.
        public static let lineIn = Port(rawValue: "LineIn")
        /// The device's microphone.
        public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
        /// The microphone of a headset with a wire.
        public static let headsetMic = Port(rawValue: "MicrophoneWired")
        /// The microphone of another device of the user's.
        public static let continuityMicrophone = Port(rawValue: "ContinuityMicrophone")
        /// An output that is plugged in.
        public static let lineOut = Port(rawValue: "LineOut")
        /// Headphones with a wire.
        public static let headphones = Port(rawValue: "Headphones")
        /// Headphones without one.
        public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
        /// What one holds to the ear.
        public static let builtInReceiver = Port(rawValue: "Receiver")
        /// The device's speaker.
        public static let builtInSpeaker = Port(rawValue: "Speaker")
        /// A screen.
        public static let HDMI = Port(rawValue: "HDMI")
        /// Another device of the network.
        public static let airPlay = Port(rawValue: "AirPlay")
        /// Bluetooth of little energy.
        public static let bluetoothLE = Port(rawValue: "BluetoothLE")
        /// A headset for calls without a wire.
        public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
        /// A device at a USB port.
        public static let usbAudio = Port(rawValue: "USBAudio")
        /// A car.
        public static let carAudio = Port(rawValue: "CarAudio")
        /// No device.
        public static let virtual = Port(rawValue: "Virtual")
        /// A card.
        public static let PCI = Port(rawValue: "PCI")
        /// A device at a FireWire port.
        public static let fireWire = Port(rawValue: "FireWire")
        /// A screen.
        public static let displayPort = Port(rawValue: "DisplayPort")
        /// A device of a network for audio.
        public static let AVB = Port(rawValue: "AudioVideoBridging")
        /// A device at a Thunderbolt port.
        public static let thunderbolt = Port(rawValue: "Thunderbolt")

        init(_ kind: AudioPortKind) {
            switch kind {
            case .receiver: self = .builtInReceiver
            case .speaker: self = .builtInSpeaker
            case .headphones: self = .headphones
            case .bluetooth: self = .bluetoothA2DP
            case .usb: self = .usbAudio
            case .hdmi: self = .HDMI
            case .line: self = .lineOut
            case .microphone: self = .builtInMic
            case .headsetMicrophone: self = .headsetMic
            }
        }
    }

    // MARK: The route

    /// Where sound goes and comes from now.
    public var currentRoute: AVAudioSessionRouteDescription {
        AVAudioSessionRouteDescription(client.surroundings.route)
    }

    /// The inputs that there are for the category; `nil` where it has none.
    public var availableInputs: [AVAudioSessionPortDescription]? {
        guard client.settings.category.hasInput else { return nil }
        let known = currentRoute.inputs
        return known.isEmpty ? [AVAudioSessionPortDescription(AudioPort(.microphone, name: "Microphone"))] : known
    }

    /// The input that the app would like to have.
    public var preferredInput: AVAudioSessionPortDescription? {
        guard let uid = wishes.withLock({ $0.input }) else { return nil }
        return availableInputs?.first { $0.uid == uid }
    }

    /// Says which input the app would like to have.
    public func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {
        guard let inPort else { return wishes.withLock { $0.input = nil } }
        guard availableInputs?.contains(where: { $0.uid == inPort.uid }) == true else {
            throw AVAudioSession.error(.badParam, "there is no input \(inPort.portName) for the category now")
        }
        wishes.withLock { $0.input = inPort.uid }
    }

    /// Has output go to the speaker, until the category or the route is another one.
    public func overrideOutputAudioPort(_ portOverride: PortOverride) throws {
        guard portOverride == .none || client.settings.category == .playAndRecord else {
            throw AVAudioSession.error(
                .badParam, "only the category playAndRecord has a receiver that the speaker can take the place of")
        }
        client.override(toSpeaker: portOverride == .speaker)
    }

    // MARK: What the device does

    /// Frames per second of the device, as it last worked for the app; 48 000 before it has.
    public var sampleRate: Double { Double(home.device.rate) }
    /// What the app would like it to be; 0 while it has no wish.
    public var preferredSampleRate: Double { wishes.withLock { $0.sampleRate } }
    /// Says what the app would like it to be; 0 gives the wish up. It is asked of the device while the session is
    /// active.
    ///
    /// The sound server changes its rate only to one that it is allowed, and only while nothing plays; otherwise it
    /// converts, and `sampleRate` says that the rate stays.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        guard sampleRate == 0 || 1_000...768_000 ~= sampleRate else {
            throw AVAudioSession.error(.badParam, "no device has \(sampleRate) frames per second")
        }
        wishes.withLock { $0.sampleRate = sampleRate }
        if client.isActive { askDevice() }
    }

    /// Seconds that the device works on at once, as it last worked for the app; before it has, as is usual.
    public var ioBufferDuration: TimeInterval {
        let device = home.device
        return Double(device.period) / Double(device.rate)
    }
    /// What the app would like it to be; 0 while it has no wish.
    public var preferredIOBufferDuration: TimeInterval { wishes.withLock { $0.bufferDuration } }
    /// Says what the app would like it to be; 0 gives the wish up. It is asked of the device while the session is
    /// active.
    ///
    /// Of all apps' wishes the sound server serves the shortest, within its limits; `ioBufferDuration` says what came
    /// of it.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        guard duration.isFinite, duration >= 0 else {
            throw AVAudioSession.error(.badParam, "no device works on \(duration) seconds at once")
        }
        wishes.withLock { $0.bufferDuration = duration }
        if client.isActive { askDevice() }
    }

    func askDevice() {
        let preference = wishes.withLock { wishes in
            AudioPreference(
                seconds: wishes.bufferDuration > 0 ? wishes.bufferDuration : nil,
                rate: wishes.sampleRate > 0 ? Int(wishes.sampleRate.rounded()) : nil)
        }
        home.device.prefer(preference)
    }

    /// Seconds from writing to hearing.
    public var outputLatency: TimeInterval { home.device.latency }
    /// Seconds from sounding to reading.
    public var inputLatency: TimeInterval { home.device.latency }

    /// Whether there is something to record by.
    public var isInputAvailable: Bool { true }
    /// Channels that are recorded: one, or as many as the app would like if the category has input.
    public var inputNumberOfChannels: Int {
        guard client.settings.category.hasInput else { return 0 }
        return max(1, min(maximumInputNumberOfChannels, preferredInputNumberOfChannels))
    }
    /// Channels that are played.
    public var outputNumberOfChannels: Int {
        guard client.settings.category.hasOutput else { return 0 }
        let wish = preferredOutputNumberOfChannels
        return wish > 0 ? min(wish, maximumOutputNumberOfChannels) : 2
    }
    /// The most that can be recorded.
    public var maximumInputNumberOfChannels: Int { 2 }
    /// The most that can be played.
    public var maximumOutputNumberOfChannels: Int { 2 }
    /// What the app would like to record; 0 while it has no wish.
    public var preferredInputNumberOfChannels: Int { wishes.withLock { $0.inputChannels } }
    /// What the app would like to play; 0 while it has no wish.
    public var preferredOutputNumberOfChannels: Int { wishes.withLock { $0.outputChannels } }
    /// Says how many channels the app would like to record.
    public func setPreferredInputNumberOfChannels(_ count: Int) throws { wishes.withLock { $0.inputChannels = count } }
    /// Says how many channels the app would like to play.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws {
        wishes.withLock { $0.outputChannels = count }
    }

    /// How loud what is recorded becomes.
    public var inputGain: Float { wishes.withLock { $0.inputGain } }
    /// Whether that can be set: the sound server has that to itself.
    public var isInputGainSettable: Bool { false }
    /// Sets how loud what is recorded becomes: not here.
    public func setInputGain(_ gain: Float) throws {
        throw AVAudioSession.error(.resourceNotAvailable, "the input's gain is set in the sound server")
    }
}

/// A place where sound goes, or comes from.
// Immutable.
open class AVAudioSessionPortDescription: NSObject, @unchecked Sendable {
    private let port: AudioPort

    init(_ port: AudioPort) { self.port = port }

    /// What kind of place it is.
    open var portType: AVAudioSession.Port { AVAudioSession.Port(port.kind) }
    /// Its name, for people.
    open var portName: String { port.name }
    /// Its name, for programs.
    open var uid: String { "\(portType.rawValue):\(port.name)" }
    /// Whether the system improves voices there.
    open var hasHardwareVoiceCallProcessing: Bool { false }
    /// Its channels, where they are known: not here.
    open var channels: [AVAudioSessionChannelDescription]? { nil }
    /// Its parts, where it has some: not here.
    open var dataSources: [AVAudioSessionDataSourceDescription]? { nil }
    /// The part that is used.
    open var selectedDataSource: AVAudioSessionDataSourceDescription? { nil }
    /// The part that the app would like to have.
    open var preferredDataSource: AVAudioSessionDataSourceDescription? { nil }

    /// Says which part the app would like to have: there is none.
    open func setPreferredDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        guard dataSource != nil else { return }
        throw AVAudioSession.error(.badParam, "\(portName) has no parts")
    }

    /// Whether two are the same place.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? AVAudioSessionPortDescription)?.port == port
    }
    /// Equal for the same place.
    open override var hash: Int { port.hashValue }
    /// For people.
    open override var description: String { "\(portType.rawValue) (\(portName))" }
}

/// A channel of a place.
// Immutable.
open class AVAudioSessionChannelDescription: NSObject, @unchecked Sendable {}

/// A part of a place, as one microphone of several.
// Immutable.
open class AVAudioSessionDataSourceDescription: NSObject, @unchecked Sendable {}

/// Where sound goes and comes from.
// Immutable.
open class AVAudioSessionRouteDescription: NSObject, @unchecked Sendable {
    private let ports: [AudioPort]

    init(_ ports: [AudioPort]) { self.ports = ports }

    /// Where it comes from.
    open var inputs: [AVAudioSessionPortDescription] {
        ports.filter(\.kind.isInput).map(AVAudioSessionPortDescription.init)
    }
    /// Where it goes.
    open var outputs: [AVAudioSessionPortDescription] {
        ports.filter { !$0.kind.isInput }.map(AVAudioSessionPortDescription.init)
    }

    /// Whether two are the same.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? AVAudioSessionRouteDescription)?.ports == ports
    }
    /// Equal for the same.
    open override var hash: Int { ports.hashValue }
    /// For people.
    open override var description: String { "inputs \(inputs), outputs \(outputs)" }
}
