internal import Glibc

/// A terminal whose keys all go to the app while this lives; it is as before afterwards.
struct RawTerminal: ~Copyable {
    private let descriptor: Int32
    private var before = termios()

    /// `nil` when the descriptor is no terminal.
    init?(_ descriptor: Int32) {
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else { return nil }
        self.descriptor = descriptor
        before = settings
        unsafe cfmakeraw(&settings)
        unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
    }

    deinit {
        var before = before
        unsafe tcsetattr(descriptor, TCSADRAIN, &before)
    }

    /// Undoes what a full-screen program turned on and had no chance to turn off: other screen, mouse, bracketed
    /// paste, keypad and cursor keys, hidden cursor, colours.
    static let reset =
        "\u{1B}[?1049l\u{1B}[?1000l\u{1B}[?1002l\u{1B}[?1003l\u{1B}[?1006l\u{1B}[?2004l"
        + "\u{1B}[?1l\u{1B}>\u{1B}[?25h\u{1B}[0m\r\n"

    /// Rows and columns of a terminal, `nil` when it has none.
    static func size(_ descriptor: Int32) -> (rows: UInt16, columns: UInt16)? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return nil
        }
        return (size.ws_row, size.ws_col)
    }
}
