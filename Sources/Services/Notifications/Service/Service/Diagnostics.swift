internal import LinuxSystem
internal import Model

/// What a process without a terminal has to say.
enum Diagnostics {
    static func write(_ text: String) {
        StandardError.write("\(WallTime(nanoseconds: Clock.wall()).iso8601) greenroom-pushd: \(text)\n")
    }
}
