import LinuxSystem
import TestBus

/// A player that does what no program with `DBus` could, by GLib from Python.
final class WickedPlayer: Sendable {
    enum Manner: String {
        /// It answers that it is alive, and no question.
        case silent
        /// All of it is more than a message may hold here.
        case huge
        /// It takes and gives up its name a hundred times, answers no question, and keeps the name at last.
        case restless
    }

    private static let python = "/usr/bin/python3"
    static let isThere: Bool = (try? TestProgram.run(python, ["-c", "from gi.repository import Gio"]).isDone) == true
    static let missing = "NOT TESTED: needs GLib for Python (Debian: python3-gi)"

    static let name = "org.mpris.MediaPlayer2.wicked"
    private let bus: TestBus
    private let program: TestProgram

    /// One that has its name.
    init(_ bus: TestBus, _ manner: Manner) throws {
        self.bus = bus
        program = try TestProgram(Self.python, ["-c", script, manner.rawValue], environment: bus.environment)
        _ = try program.line()
    }

    var process: Int32 { program.process.pid }

    /// How often all of its player's properties have been asked for by now.
    func questions() throws -> Int? {
        try program.process.send(10)
        return Int(try program.line())
    }
}

private let script = """
    import signal, sys
    from gi.repository import Gio, GLib
    manner = sys.argv[1]
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    questions = 0

    def ask(method, *values):
        arguments = GLib.Variant("(su)", ("org.mpris.MediaPlayer2.wicked", 0))
        if method == "ReleaseName":
            arguments = GLib.Variant("(s)", ("org.mpris.MediaPlayer2.wicked",))
        bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method, arguments,
                      None, 0, -1, None)

    def heard(connection, message, incoming):
        global questions
        if not incoming or message.get_member() not in ("Get", "GetAll", "PlayPause"):
            return message
        answer = Gio.DBusMessage.new_method_reply(message)
        body = message.get_body()
        is_all = message.get_member() == "GetAll" and body[0] == "org.mpris.MediaPlayer2.Player"
        questions += is_all
        if manner != "huge":
            return None
        if is_all:
            answer.set_body(GLib.Variant("(a{sv})", ({"Huge": GLib.Variant("s", "x" * 3_000_000)},)))
        elif message.get_member() == "GetAll":
            answer.set_body(GLib.Variant("(a{sv})", ({"Identity": GLib.Variant("s", "Wicked")},)))
        elif message.get_member() == "Get":
            answer.set_body(GLib.Variant("(v)", (GLib.Variant("s", "Playing"),)))
        connection.send_message(answer, 0)
        return None

    bus.add_filter(heard)
    def tell():
        print(questions, flush=True)
        return True
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, tell)
    ask("RequestName")
    if manner == "restless":
        for number in range(100):
            ask("ReleaseName")
            ask("RequestName")
    print("ready", flush=True)
    GLib.MainLoop().run()
    """
