import AudioControls
import AudioModel
import DBus
import TestBus
import Testing

@Suite(
    "Apps' players and playerctl",
    .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)),
    .enabled(if: Playerctl.isThere, Comment(rawValue: Playerctl.missing)))
struct PlayerctlTests {
    @Test func `It finds each of them, alone and all together`() throws {
        let bus = try TestBus()
        let playerctl = Playerctl(bus: bus)
        let podcasts = try Stage(bus)
        let radio = try Stage(bus, PublishedApp(identifier: "fm.radio", name: "Radio"), .paused())
        #expect(
            try Set(playerctl.run("--list-all").split(separator: "\n"))
                == ["greenroom.org_example_Podcasts", "greenroom.fm_radio"])
        #expect(try Playerctl(bus: bus, player: "greenroom.fm_radio").run("status") == "Paused")
        #expect(try Playerctl(bus: bus, player: "greenroom.org_example_Podcasts").run("status") == "Playing")
        try Playerctl(bus: bus, player: "greenroom").run("--all-players", "pause")
        #expect(try podcasts.commands.next() == .pause)
        #expect(try radio.commands.next() == .pause)
    }

    @Test func `Its commands reach the app`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let playerctl = Playerctl(bus: bus)
        let commands: [(String, AudioCommand)] = [
            ("play-pause", .toggle), ("next", .next), ("previous", .previous), ("play", .play), ("pause", .pause),
            ("stop", .stop),
        ]
        for (word, command) in commands {
            try playerctl.run(word)
            #expect(try stage.commands.next() == command)
        }
        stage.behave(.failed(.noSuchContent))
        #expect(throws: Playerctl.Failed.self) { try playerctl.run("next") }
        _ = try stage.commands.next()
        // It asks first what the player can do.
        stage.update { $0.commands.remove(.next) }
        #expect(throws: Playerctl.Failed.self) { try playerctl.run("next") }
        #expect(stage.commands.rest.isEmpty)
    }

    @Test func `It shows what is played`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let playerctl = Playerctl(bus: bus)
        #expect(
            try playerctl.run(
                "metadata", "--format", "{{artist}}|{{album}}|{{title}}|{{duration(mpris:length)}}|{{status}}")
                == "Ada & Grace|The Show|Episode 7|1:00:00|Playing")
        #expect(try playerctl.run("metadata", "mpris:artUrl") == "file:///tmp/Gr%C3%B6%C3%9Fe%201%25.png")
        #expect(try playerctl.run("metadata", "xesam:genre") == "Talk")
        stage.update { state in
            state.nowPlaying.title = "Episode 8"
            (state.nowPlaying.state, state.nowPlaying.rate) = (.paused, 0)
        }
        #expect(try playerctl.run("status") == "Paused")
        #expect(try playerctl.run("metadata", "title") == "Episode 8")
    }

    @Test func `It reads and sets the position`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus, .podcasts, .paused())
        let playerctl = Playerctl(bus: bus)
        #expect(try playerctl.run("position") == "90.000000")
        try playerctl.run("position", "125.5")
        #expect(try stage.commands.next() == .seek(125.5))
        try playerctl.run("position", "15+")
        #expect(try stage.commands.next() == .skipForward(15))
        try playerctl.run("position", "30-")
        #expect(try stage.commands.next() == .skipBackward(30))
        stage.update { $0.nowPlaying.elapsed = 240 }
        #expect(try playerctl.run("position", "--format", "{{duration(position)}}") == "4:00")
    }

    @Test func `It reads and sets how tracks repeat, their order and the volume`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let playerctl = Playerctl(bus: bus)
        #expect(try playerctl.run("loop") == "None")
        try playerctl.run("loop", "Track")
        #expect(try stage.commands.next() == .repeats(.one))
        stage.update { $0.repeats = .one }
        #expect(try playerctl.run("loop") == "Track")
        #expect(try playerctl.run("shuffle") == "Off")
        try playerctl.run("shuffle", "Toggle")
        #expect(try stage.commands.next() == .shuffle(true))
        stage.update { $0.isShuffled = true }
        #expect(try playerctl.run("shuffle") == "On")
        stage.update { $0.volume = 0.5 }
        #expect(try playerctl.run("volume") == "0.500000")
        try playerctl.run("volume", "0.25+")
        #expect(try stage.volumes.next() == 0.75)
    }

    @Test func `Its daemon follows the player that was active last`() throws {
        let bus = try TestBus()
        let podcasts = try Stage(bus)
        let peer = try BusPeer(bus)
        let owners = Mailbox<String?>()
        let watch = peer.on { $0.watch("org.mpris.MediaPlayer2.playerctld") { owners.post($0) } }
        let daemon = try TestProgram(Playerctl.daemon, environment: bus.environment)
        while try owners.next() == nil {}
        let playerctld = Playerctl(bus: bus, player: "playerctld")
        let remote = try Remote(bus, "org.mpris.MediaPlayer2.playerctld")
        #expect(try playerctld.run("metadata", "title") == "Episode 7")
        try playerctld.run("play-pause")
        #expect(try podcasts.commands.next() == .toggle)

        let radio = try Stage(bus, PublishedApp(identifier: "fm.radio", name: "Radio"))
        while try remote.changes.next()["PlayerNames"]?.strings?.first != radio.name {}
        try playerctld.run("next")
        #expect(try radio.commands.next() == .next)
        podcasts.update { $0.isShuffled = true }
        while try remote.changes.next()["PlayerNames"]?.strings?.first != podcasts.name {}
        try playerctld.run("next")
        #expect(try podcasts.commands.next() == .next)
        podcasts.update { ($0.nowPlaying.elapsed, $0.saidAt) = (1200, $0.saidAt) }
        while try remote.seeks.next() < 1_200_000_000 {}
        podcasts.end()
        while try remote.changes.next()["PlayerNames"]?.strings != [radio.name] {}
        #expect(radio.commands.rest.isEmpty && podcasts.commands.rest.isEmpty)
        withExtendedLifetime((watch, daemon)) {}
    }
}
