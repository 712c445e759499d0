internal import CPipeWire
internal import Dispatch
internal import LinuxSystem

/// A factor for a stream on top of what the user set.
struct Gain {
    let node: UInt32
    var target: Float
    var current: Float
    /// Where a ramp began, and when, in nanoseconds.
    var from: Float
    var began: Int64
    var lasts: Int64
    /// What the user set, once that is known.
    var user: Volumes?
    /// What was last set here, and whether the stream has told it since.
    var sent: [Float] = []
    var isTold = true
    /// When it was last set again because another program had set something.
    var lastRepair: Int64 = 0

    var isReached: Bool { current == target }

    mutating func advance(to now: Int64) {
        let part = lasts > 0 ? min(1, max(0, Float(now - began) / Float(lasts))) : 1
        current = part >= 1 ? target : from + (target - from) * part
    }
}

extension AudioGraph {
    /// A cycle of the graph lasts about as long; finer steps would not be heard.
    private static let step = DispatchTimeInterval.milliseconds(20)
    /// Another program that sets a volume again and again is answered so often, in nanoseconds.
    private static let repairPause: Int64 = 200_000_000

    /// Multiplies what the user set for a stream by a linear factor. The user's setting stays what it is, and with 0
    /// the stream is silent. PipeWire 0.3.65 has no ramps of its own, so it is set in steps.
    package func setGain(_ stream: NodeIdentifier, _ gain: Float, over milliseconds: Int = 0) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let graph = unsafe connection?.graph, let node = model.node(stream),
            model.nodes[node]?.streamDirection != nil
        else { return }
        let known = gains[stream]
        guard known != nil || gain != 1 || inherited.remove(node) != nil else { return }
        let now = Clock.monotonic()
        var record =
            known ?? Gain(node: node, target: 1, current: 1, from: 1, began: now, lasts: 0, user: nil)
        (record.from, record.target, record.began) = (record.current, max(0, gain), now)
        record.lasts = Int64(max(0, milliseconds)) * 1_000_000
        gains[stream] = record
        if known == nil {
            // What the user set comes with the next event, and the ramp begins then.
            unsafe gr_control_watch_volumes(graph, node, true)
        } else if record.user != nil {
            advance(stream, now)
            beginRamp()
        }
    }

    func volumesChanged(of stream: NodeIdentifier, _ volumes: Volumes) {
        guard var gain = gains[stream] else { return }
        let now = Clock.monotonic()
        guard let user = gain.user else {
            (gain.user, gain.began) = (volumes, now)
            gains[stream] = gain
            advance(stream, now)
            beginRamp()
            return
        }
        gain.user = volumes
        let isOwn = volumes.soft == gain.sent
        let isSame = user.user == volumes.user && user.isMuted == volumes.isMuted
        if isSame, isOwn, !gain.isTold {
            gain.isTold = true
            gains[stream] = gain
            return
        }
        gains[stream] = gain
        // An older value of this process on its way.
        if isSame, !gain.isTold { return }
        // Setting the volume that was there already ends the gain too, and looks like an echo.
        if isSame {
            guard now - gain.lastRepair > Self.repairPause else { return }
            gains[stream]?.lastRepair = now
        }
        sendGain(stream)
    }

    private func beginRamp() {
        guard ramp == nil, gains.values.contains(where: { !$0.isReached }) else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.continueRamps() }
        timer.schedule(deadline: .now() + Self.step, repeating: Self.step, leeway: .milliseconds(2))
        ramp = timer
        timer.resume()
    }

    private func continueRamps() {
        let now = Clock.monotonic()
        for (stream, gain) in gains where !gain.isReached && gain.user != nil { advance(stream, now) }
        guard !gains.values.contains(where: { !$0.isReached && $0.user != nil }) else { return }
        ramp?.cancel()
        ramp = nil
    }

    private func advance(_ stream: NodeIdentifier, _ now: Int64) {
        gains[stream]?.advance(to: now)
        sendGain(stream)
    }

    /// What a stream that is put back has to have before it is heard.
    func restoreGain(_ stream: NodeIdentifier, then run: @escaping () -> Void) {
        guard let gain = gains[stream], gain.user != nil else { return run() }
        gains[stream]?.current = gain.target
        sendGain(stream, then: run)
    }

    func sendGain(_ stream: NodeIdentifier, then run: @escaping () -> Void = {}) {
        // The client of one that is not permitted may be frozen.
        guard isPermitted(stream), let gain = gains[stream], let user = gain.user else { return run() }
        let node = gain.node
        if gain.isReached, gain.target == 1 {
            gains[stream] = nil
            return ask(
                stream, isGain: true, { $0.endSoftVolumes(of: node, isMuted: user.isMuted) },
                completion: { _ in run() })
        }
        let (sent, isSilent) = (user.user.map { $0 * gain.current }, user.isMuted || gain.current == 0)
        gains[stream]?.sent = sent
        gains[stream]?.isTold = false
        ask(
            stream, isGain: true, { $0.setSoftVolumes(of: node, sent, isMuted: isSilent) },
            completion: { _ in run() })
    }
}
