internal import ArgumentParser
internal import DBus
internal import Dispatch
internal import Foundation
internal import LinuxSystem
internal import Wire

/// Presses the controls of players, as `playerctl` does, without starting a program each time.
///
/// `PLAYER METHOD`: answered with when the call was sent, when it was answered and when the player said that something
/// had changed.
struct Press: ParsableCommand {
    @Option(help: "The address of the bus.")
    var bus: String

    func run() throws {
        let queue = DispatchQueue(label: "press", qos: .userInteractive)
        let finger = Finger(DBusConnection(.at(bus), queue: queue), queue)
        let ready = DispatchSemaphore(value: 0)
        queue.sync { finger.begin { ready.signal() } }
        ready.wait()
        Output.write(["ready": .bool(true)])
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 2 else { continue }
            let done = DispatchSemaphore(value: 0)
            queue.async { finger.press(words[1], of: words[0]) { done.signal() } }
            done.wait()
        }
    }
}

/// Unchecked: used on its connection's queue only.
private final class Finger: @unchecked Sendable {
    private let connection: DBusConnection
    private let queue: DispatchQueue
    private var registration: DBusRegistration?
    private var player: String?
    private var pressed: JSONObject = [:]
    private var number = 0
    private var done: () -> Void = {}

    /// A player that says nothing within this has nothing to say.
    private static let patience = DispatchTimeInterval.seconds(2)

    init(_ connection: DBusConnection, _ queue: DispatchQueue) { (self.connection, self.queue) = (connection, queue) }

    func begin(_ ready: @escaping () -> Void) {
        connection.onState = { if case .connected = $0 { ready() } }
        connection.begin()
    }

    func press(_ method: String, of player: String, _ done: @escaping () -> Void) {
        guard self.player == player else { return listen(to: player) { self.press(method, of: player, done) } }
        number += 1
        self.done = done
        let call = DBusCall(method, of: "org.mpris.MediaPlayer2.Player", at: "/org/mpris/MediaPlayer2", to: player)
        let number = number
        pressed = ["sent": .time(Clock.monotonic())]
        connection.call(call) { [weak self] result in
            guard let self, self.number == number else { return }
            pressed["answered"] = .time(Clock.monotonic())
            if case .failure(let error) = result { pressed["error"] = .string("\(error)") }
            settle()
        }
        queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            if let self, self.number == number { answer() }
        }
    }

    /// The bus has heard of a subscription when it has answered what was said after it.
    private func listen(to player: String, _ ready: @escaping () -> Void) {
        self.player = player
        let match = DBusMatch(
            sender: player, path: "/org/mpris/MediaPlayer2", interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged")
        registration = connection.subscribe(match) { [weak self] _ in
            guard let self, pressed["sent"] != nil, pressed["changed"] == nil else { return }
            pressed["changed"] = .time(Clock.monotonic())
            settle()
        }
        let ping = DBusCall("Ping", of: "org.freedesktop.DBus.Peer", at: "/org/mpris/MediaPlayer2", to: player)
        connection.call(ping) { _ in ready() }
    }

    private func settle() {
        if pressed["answered"] != nil, pressed["changed"] != nil { answer() }
    }

    private func answer() {
        number += 1
        Output.write(pressed)
        pressed = [:]
        done()
    }
}
