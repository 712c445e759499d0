package import AudioModel
internal import Model
internal import ServiceCore

// Where sound goes.
extension AudioSystem {
    // MARK: Devices

    mutating func portsChanged(_ new: [DevicePort]) {
        let before = allPorts
        ports = new
        devicesChanged(from: before)
    }

    /// What is there, and what somebody pretends is.
    package var allPorts: [DevicePort] {
        ports + device.plugged.map { DevicePort(device: nil, AudioPort($0, name: "simulated \($0.rawValue)")) }
    }

    private mutating func devicesChanged(from before: [DevicePort]) {
        let after = allPorts
        if before.contains(where: { !after.contains($0) && !$0.port.kind.isInput }) {
            routeReason = .oldDeviceUnavailable
        } else if after.contains(where: { !before.contains($0) }) {
            routeReason = .newDeviceAvailable
        }
        if let chosen, !after.contains(chosen) { self.chosen = nil }
    }

    mutating func plug(_ kind: AudioPortKind) {
        let before = allPorts
        changeDevice { device in
            device.plugged.removeAll { $0 == kind }
            device.plugged.append(kind)
        }
        devicesChanged(from: before)
    }

    mutating func unplug(_ kind: AudioPortKind) throws(AudioRefusal) {
        guard device.plugged.contains(kind) else { throw .noSuchRoute(kind.rawValue) }
        let before = allPorts
        changeDevice { $0.plugged.removeAll { $0 == kind } }
        devicesChanged(from: before)
    }

    mutating func choose(_ name: String) throws(AudioRefusal) {
        let found = allPorts.last { !$0.port.kind.isInput && ($0.port.name == name || $0.port.kind.rawValue == name) }
        guard let found else { throw .noSuchRoute(name) }
        chosen = found
        routeReason = .override
    }

    // MARK: An app's route

    private func output(_ session: Session) -> DevicePort? {
        let (all, settings) = (allPorts.filter { !$0.port.kind.isInput }, session.settings)
        func newest(_ kind: AudioPortKind) -> DevicePort? { all.last { $0.port.kind == kind } }
        if settings.category.prefersReceiver, session.overridesToSpeaker, let speaker = newest(.speaker) {
            return speaker
        }
        let external = all.last { candidate in
            guard !candidate.port.kind.isBuiltIn else { return false }
            // A telephone's sound goes to a headset without wires only where the app can take its microphone, too.
            let isAllowed = !settings.options.isDisjoint(with: [.allowBluetooth, .allowBluetoothA2DP])
            return candidate.port.kind != .bluetooth || !settings.category.prefersReceiver || isAllowed
        }
        // What is plugged in for a test is the newest; else it is the desktop's choice.
        let present = all.last(where: \.isDefault)
        let usual = chosen ?? (external?.device == nil ? external : nil) ?? present ?? external
        if let usual, !usual.port.kind.isBuiltIn { return usual }
        if settings.category.prefersReceiver, !settings.options.contains(.defaultToSpeaker), chosen == nil,
            let receiver = newest(.receiver)
        {
            return receiver
        }
        return usual ?? newest(.speaker) ?? newest(.receiver)
    }

    private func input() -> DevicePort? {
        let all = allPorts.filter(\.port.kind.isInput)
        let headset = all.last { $0.port.kind == .headsetMicrophone }
        // As with what one hears: what is plugged in for a test is the newest.
        if let headset, headset.device == nil { return headset }
        return all.last(where: \.isDefault) ?? headset ?? all.last
    }

    package func route(of session: Session) -> [AudioPort] {
        var route: [AudioPort] = []
        if session.settings.category.hasOutput, let output = output(session) { route.append(output.port) }
        if session.settings.category.hasInput, let input = input() { route.append(input.port) }
        return route
    }

    // MARK: After each event

    mutating func settleRoute(_ id: PartyID) {
        settleDefault()
        guard let party = parties[id] else { return }
        let route = route(of: party.session)
        let before = party.route
        with(id) { $0.route = route }
        moveStreams(id)
        guard route != before, !before.isEmpty else { return }
        // What one heard alone does not go on for everybody.
        let isPrivateGone =
            routeReason == .oldDeviceUnavailable && !party.session.settings.isConversation
            && before.contains { $0.kind.isPrivate && !route.contains($0) }
            && party.session.settings.category.hasOutput && !route.contains { $0.kind == .receiver }
        if isPrivateGone { pause(id) }
        guard party.kind == .app, party.isGreeted else { return }
        let reason = route.isEmpty ? .noSuitableRoute : routeReason
        tell(id, .routeChanged(reason, previous: before, pauses: isPrivateGone))
    }

    private mutating func pause(_ id: PartyID) {
        guard let party = parties[id] else { return }
        if party.kind == .app {
            endStreams(id, .cannotStartPlaying("what it was to sound by has gone: play again for all to hear it"))
        } else if let player = party.player, party.playerState.state == .playing {
            control(player, .pause, nil)
        }
    }

    /// A person's choice is the desktop's from then on.
    private mutating func settleDefault() {
        guard let device = chosen?.device, device != askedDefault else { return }
        askedDefault = device
        emit(.own(.setDefault(device: device)))
    }

    /// Where everything goes that nobody sends elsewhere.
    private var defaultDevice: UInt64? {
        var music = Session()
        music.settings = AudioSettings(.playback)
        return output(music)?.device
    }

    private mutating func moveStreams(_ id: PartyID) {
        guard let party = parties[id] else { return }
        let device = output(party.session)?.device
        let wanted = device == defaultDevice ? nil : device
        for key in party.orderedKeys {
            guard let stream = party.streams[key], stream.direction == .output, let node = stream.node,
                stream.device != wanted
            else { continue }
            with(id, key) { $0.device = wanted }
            emit(.own(.move(node, toDevice: wanted)))
        }
    }
}

extension AudioSettings {
    /// Who talks goes on without the headset.
    fileprivate var isConversation: Bool { mode == .voiceChat || mode == .videoChat || mode == .gameChat }
}
