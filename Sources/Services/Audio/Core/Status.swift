package import AudioModel
package import Model
internal import ServiceCore

/// What everybody may know.
package struct AudioStatus: Hashable, Sendable {
    package struct Player: Hashable, Sendable {
        package var id: PartyID
        package var name: String
        package var settings: AudioSettings
        /// `active`, `inactive` or `interrupted`.
        package var session: String
        package var isPlaying: Bool
        package var isRecording: Bool
        package var isDucked: Bool
        /// Its sound is at nothing: by the ringer switch, the lock screen, or a telephone that rings.
        package var isMuted: Bool
        package var nowPlaying: NowPlaying
        package var isTarget: Bool
        package var route: [AudioPort]
    }

    package var players: [Player]
    package var ports: [AudioPort]
    package var isSilent: Bool
    package var volume: Double
    package var hasGraph: Bool
}

extension AudioSystem {
    package var status: AudioStatus {
        let target = target
        var players = parties.keys.sorted().compactMap { id in parties[id].map { player($0, isTarget: id == target) } }
        // Its process is gone, and the controls are still its own.
        if let target, parties[target] == nil, let app = target.app, let record = records[app] {
            var player = AudioStatus.Player(
                id: target, name: name(of: target), settings: AudioSettings(), session: "inactive", isPlaying: false,
                isRecording: false, isDucked: false, isMuted: false, nowPlaying: record.nowPlaying, isTarget: true,
                route: [])
            player.nowPlaying.state = .stopped
            players.append(player)
        }
        return AudioStatus(
            players: players, ports: allPorts.map(\.port), isSilent: device.isSilent, volume: volume,
            hasGraph: hasGraph)
    }

    private func player(_ party: Party, isTarget: Bool) -> AudioStatus.Player {
        let session =
            switch party.session.activity {
            case .inactive: "inactive"
            case .active: "active"
            case .interrupted: "interrupted"
            }
        let playing = party.kind == .app ? party.app.flatMap { records[$0]?.nowPlaying } : party.playerState
        return AudioStatus.Player(
            id: party.id, name: name(of: party.id), settings: party.session.settings, session: session,
            isPlaying: isPlaying(party.id), isRecording: party.records,
            isDucked: party.sounds && gain(party) > 0 && gain(party) < 1, isMuted: party.sounds && gain(party) == 0,
            nowPlaying: playing ?? NowPlaying(), isTarget: isTarget, route: route(of: party.session))
    }

    /// Why an app sounds, or is silent.
    package func why(_ app: AppIdentifier) -> String {
        let id = PartyID.app(app)
        let name = name(of: id)
        guard let party = parties[id] else { return "\(name) has used no audio since it was started." }
        if party.sounds {
            let gain = gain(party)
            if gain == 0 { return "\(name) plays, and \(mutedBecause(party))." }
            return gain < 1 ? "\(name) plays, softer while another app speaks." : "\(name) plays."
        }
        if party.records { return "\(name) records." }
        if let interruption = party.session.interruption {
            let by = interruption.by.sorted().map(sentence).joined(separator: " and ")
            return "\(name) is silent: it is interrupted by \(by)."
        }
        let silent = party.streams.values.contains { $0.sound == .dismissed }
        if silent {
            return "\(name) is silent: it has played nothing but silence for \(rules.silence) out of sight, "
                + "which is no reason to let it run."
        }
        guard party.streams.values.contains(where: \.wish) else { return "\(name) plays nothing." }
        guard party.isInSight else {
            let category = party.session.settings.category
            if !category.goesOnInBackground {
                return "\(name) is silent: its category \(category.rawValue) sounds only on the screen."
            }
            if !party.hasKey {
                return "\(name) is silent: it is not on the screen, and its UIBackgroundModes lack audio."
            }
            return "\(name) is silent: it is suspended."
        }
        return "\(name) is about to play."
    }

    private func mutedBecause(_ party: Party) -> String {
        if conditions.call == .ringing { return "the telephone rings" }
        return device.isSilent ? "the ringer switch silences it" : "the locked screen silences it"
    }

    private func sentence(_ interrupter: Interrupter) -> String {
        switch interrupter {
        case .call: "a call"
        case .person: "a simulated interruption"
        case .session(let app): name(of: .app(app))
        case .outsider(let pid): name(of: .outsider(pid: pid))
        }
    }
}
