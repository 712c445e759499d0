internal import Synchronization

extension NSNotification.Name {
    /// An engine stands still, since what it sounds by has changed or the system wants it to. Start it again.
    public static let AVAudioEngineConfigurationChange = NSNotification.Name(
        "AVAudioEngineConfigurationChangeNotification")
}

/// Sound made of nodes that are connected to each other. Nodes are attached, connected, and then the engine is started.
///
/// It stands still during an interruption and never goes on by itself.
open class AVAudioEngine: NSObject {
    let core: EngineCore
    private var nodes: [AVAudioNode] = []
    private var usesInput = false
    private var hasMixer = false
    private let output: AVAudioOutputNode
    private let mixer: AVAudioMixerNode
    private let input: AVAudioInputNode

    // Only posted with the notification.
    private struct Posted: @unchecked Sendable {
        weak var engine: AVAudioEngine?
    }

    /// An engine without nodes.
    public override init() {
        core = EngineCore(AudioHome.current)
        output = AVAudioOutputNode(core.output)
        mixer = AVAudioMixerNode(core.mainMixer)
        input = AVAudioInputNode(core.input)
        super.init()
        for node in [output, mixer, input] { node.engine = self }
        let posted = Posted(engine: self)
        core.ended.withLock { ended in
            ended = {
                DispatchQueue.main.async {
                    guard let engine = posted.engine else { return }
                    NotificationCenter.default.post(name: .AVAudioEngineConfigurationChange, object: engine)
                }
            }
        }
    }

    deinit { core.stop() }

    // MARK: The nodes

    /// Where the sound goes.
    open var outputNode: AVAudioOutputNode { output }

    /// What the microphone hears. The engine records if this was used before it is started.
    open var inputNode: AVAudioInputNode {
        usesInput = true
        return input
    }

    /// Adds what is connected to it, and is connected to the output itself.
    open var mainMixerNode: AVAudioMixerNode {
        if !hasMixer {
            hasMixer = true
            if core.source(of: core.output, 0) == nil { core.connect(core.mainMixer, to: core.output, 0, nil) }
        }
        return mixer
    }

    /// All that were attached.
    open var attachedNodes: Set<AVAudioNode> { Set(nodes) }

    /// Takes a node into the engine.
    open func attach(_ node: AVAudioNode) {
        guard node.engine !== self else { return }
        node.engine?.detach(node)
        node.engine = self
        nodes.append(node)
        core.attach(node.core)
    }

    /// Takes a node out of the engine.
    open func detach(_ node: AVAudioNode) {
        guard nodes.contains(where: { $0 === node }) else { return }
        core.detach(node.core)
        nodes.removeAll { $0 === node }
        node.engine = nil
    }

    /// Connects the output of a node to the next free input of another one.
    ///
    /// - Parameter format: what the first one puts out; `nil` for what it puts out by itself.
    open func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {
        let bus = node2 is AVAudioMixerNode ? core.freeBus(node2.core) : 0
        connect(node1, to: node2, fromBus: 0, toBus: bus, format: format)
    }

    /// Connects the output of a node to an input of another one.
    open func connect(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?
    ) {
        guard node1.engine === self, node2.engine === self else {
            // As on Apple's systems it is an error of the program, which is said where it can be read.
            let line = "AVAudioEngine.connect: attach both nodes to the engine before you connect them\n"
            try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
            return
        }
        var format = format
        if format == nil, node1 is AVAudioUnitTimePitch || node1 is AVAudioUnitVarispeed {
            format = core.source(of: node1.core, 0).map { .standard($0.rate, $0.channels) }
        }
        core.connect(node1.core, to: node2.core, bus2, node1 is AVAudioInputNode ? nil : format)
    }

    /// Ends what is connected to a bus.
    open func disconnectNodeInput(_ node: AVAudioNode, bus: AVAudioNodeBus) { core.disconnect(input: node.core, bus) }
    /// Ends what is connected to a node.
    open func disconnectNodeInput(_ node: AVAudioNode) { core.disconnect(input: node.core, nil) }
    /// Ends what a node is connected to.
    open func disconnectNodeOutput(_ node: AVAudioNode, bus: AVAudioNodeBus) { core.disconnect(output: node.core) }
    /// Ends what a node is connected to.
    open func disconnectNodeOutput(_ node: AVAudioNode) { core.disconnect(output: node.core) }

    // MARK: Running

    /// Gets ready. The streams themselves are opened by `start()`, since the system has to allow it first.
    open func prepare() {}

    /// Runs.
    ///
    /// - Throws: an `NSError` if the system or the user does not let the app play or record now.
    open func start() throws {
        try AVAudioSession.mapped { try core.start(usesInput: usesInput) }
    }

    /// Stands still; what is scheduled stays.
    open func pause() { core.pause() }

    /// Stands still and gives up what `start()` has opened.
    open func stop() { core.stop() }

    /// Forgets what nodes have of before.
    open func reset() { for node in nodes { node.reset() } }

    /// Whether it runs.
    open var isRunning: Bool { core.isRunning }

    /// Whether it stands still by itself when there is nothing to play: not here.
    open var isAutoShutdownEnabled = false
}
