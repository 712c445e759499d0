internal import DBus

/// The names that MPRIS 2.2 gives to things on the bus.
package enum MPRIS {
    static let path: DBusObjectPath = "/org/mpris/MediaPlayer2"
    static let root = "org.mpris.MediaPlayer2"
    static let player = "org.mpris.MediaPlayer2.Player"
    static let properties = "org.freedesktop.DBus.Properties"

    /// The track of a player that has none.
    static let noTrack = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

    static let prefix = "org.mpris.MediaPlayer2."
    /// Names of the players that Greenroom publishes for its apps begin with it.
    static let ownPrefix = "org.mpris.MediaPlayer2.greenroom."
    /// It stands for another player, which has a name of its own.
    static let proxy = "org.mpris.MediaPlayer2.playerctld"

    /// Whether a plain program plays under this name.
    package static func isOther(_ name: String) -> Bool {
        name.hasPrefix(prefix) && !name.hasPrefix(ownPrefix) && name != proxy
    }

    /// The bus name of an app's player. What names on a bus may not have becomes an underscore; where the identifier
    /// has underscores of its own, their places follow, so that `a_b` and `a.b` have two names.
    package static func name(of identifier: String) -> String {
        let own = identifier.utf8.enumerated().filter { $0.element == UInt8(ascii: "_") }.map { "_\($0.offset)" }
            .joined()
        let end = own.isEmpty ? "" : "_" + own.prefix(longestElement / 2)
        var element = ""
        for byte in identifier.utf8.prefix(longestElement - end.utf8.count) {
            element.unicodeScalars.append(isAllowed(byte) ? UnicodeScalar(byte) : "_")
        }
        let mayBegin = element.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
        return ownPrefix + (mayBegin ? "" : "_") + element + end
    }

    /// D-Bus ends names at 255 bytes.
    private static let longestElement = 254 - ownPrefix.utf8.count

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The words of the property `LoopStatus`.
    static let (loopsNever, loopsTrack, loopsAll) = ("None", "Track", "Playlist")
}

/// MPRIS counts time in microseconds, and Greenroom in seconds.
enum Microseconds {
    /// A century. No track is longer, and sums of such times never overflow.
    private static let most: Int64 = 3_155_760_000_000_000

    static func bounded(_ microseconds: Int64) -> Int64 { min(max(microseconds, -most), most) }

    /// Zero for what is no number.
    static func of(seconds: Double) -> Int64 {
        guard !seconds.isNaN else { return 0 }
        return Int64(min(max(seconds * 1e6, Double(-most)), Double(most)))
    }

    static func seconds(_ microseconds: Int64) -> Double { Double(bounded(microseconds)) / 1e6 }

    /// How far a track gets between two moments of the boot clock, which counts nanoseconds.
    static func played(from begin: Int64, to end: Int64, rate: Double) -> Int64 {
        of(seconds: Double(max(0, end - begin)) / 1e9 * rate)
    }
}

/// Texts that come from an app or from another program.
package enum Texts {
    /// Without control characters, which D-Bus or a screen has no place for, and at most so many bytes. It reads no
    /// more of the text than it keeps.
    package static func clean(_ text: String, _ most: Int) -> String {
        var result = ""
        var bytes = 0
        for scalar in text.unicodeScalars.prefix(most) {
            if scalar.value < 0x20 || scalar.value == 0x7f { continue }
            bytes += String(scalar).utf8.count
            guard bytes <= most else { break }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    private static let plain = Set("/-._~abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
    private static let scheme = "file://"

    /// The URL of a file; `nil` for what is no absolute path.
    package static func fileURL(_ path: String) -> String? {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else { return nil }
        var url = scheme
        for byte in path.utf8 {
            if plain.contains(byte) {
                url.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                url += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return url
    }

    /// The path in a URL of a file on this machine, of at most so many bytes.
    package static func path(_ url: String, _ most: Int) -> String? {
        guard url.utf8.count <= 3 * most + 32, url.hasPrefix(scheme) else { return nil }
        var rest = url.dropFirst(scheme.count)
        if rest.hasPrefix("localhost/") { rest = rest.dropFirst("localhost".count) }
        guard rest.first == "/" else { return nil }
        var bytes: [UInt8] = []
        var left = Array(rest.utf8)[...]
        while let byte = left.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = left.prefix(2)
            guard digits.count == 2, digits.first != UInt8(ascii: "+"),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value != 0
            else { return nil }
            left = left.dropFirst(2)
            bytes.append(value)
        }
        guard bytes.count <= most else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
