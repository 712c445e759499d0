/// Makes sentences of NMEA.
enum Sentences {
    static func sentence(_ content: some StringProtocol) -> String {
        let sum = content.utf8.reduce(0, ^)
        return "$\(content)*" + (sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true)
    }

    private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    /// One minute's way to the north from 48° N, 11° E, at 15 m/s, a moment each second.
    static let drive: String = {
        (0..<60).map { second in
            let minutes = "0000" + String(Int(Double(second) * 81))
            let latitude = "4800." + minutes.suffix(4)
            let time = "1200\(two(second)).00"
            return sentence("GPRMC,\(time),A,\(latitude),N,01100.0000,E,29.2,0.0,210926,,,A") + "\r\n"
                + sentence("GPGGA,\(time),\(latitude),N,01100.0000,E,1,08,0.9,520.0,M,47.0,M,,") + "\r\n"
        }.joined()
    }()
}
