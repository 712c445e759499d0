import Foundation
import LinuxSystem
import Testing

@Suite("Time zones as files") struct TimeZoneFileTests {
    private static let zones = [
        "UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "Australia/Lord_Howe", "Africa/Casablanca",
        "Asia/Tokyo", "Asia/Kathmandu", "Europe/Dublin", "America/Sao_Paulo", "Pacific/Apia",
    ]

    private static func file(_ name: String) throws -> TimeZoneFile? {
        try FileSystem.read("/usr/share/zoneinfo/\(name)").map { try #require(TimeZoneFile($0)) }
    }

    @Test("Each moment has the offset that Foundation knows", arguments: zones)
    func offsets(_ name: String) throws {
        let file = try #require(try Self.file(name), "tzdata is missing")
        let zone = try #require(TimeZone(identifier: name))
        // From 1975 on, and far beyond what tables hold.
        for week in 0..<3600 {
            let moment = Int64(157_766_400) + Int64(week) * 604_801
            let expected = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
            #expect(Int(file.look(at: moment, most: 1).offset) == expected, "\(name) at \(moment)")
        }
    }

    @Test("The next changes are those that Foundation knows", arguments: zones)
    func transitions(_ name: String) throws {
        let file = try #require(try Self.file(name), "tzdata is missing")
        let zone = try #require(TimeZone(identifier: name))
        for start in [Int64(946_684_800), 1_795_312_341, 2_200_000_000] {
            let next = file.look(at: start, most: 8).next
            var moment = Date(timeIntervalSince1970: Double(start))
            for found in next.prefix(6) {
                let real = zone.nextDaylightSavingTimeTransition(after: moment)
                guard let real else { break }
                // Some changes are of the name alone.
                if Int64(real.timeIntervalSince1970) < found.at { moment = real }
                let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(found.at)))
                #expect(Int(found.offset) == offset, "\(name) at \(found.at)")
                moment = Date(timeIntervalSince1970: Double(found.at))
            }
        }
        let berlin = try #require(try Self.file("Europe/Berlin"))
        #expect(berlin.look(at: 2_200_000_000, most: 16).next.count == 16)
    }

    @Test("Bytes that are no zone, or were cut or damaged, are none or another, never a trap")
    func damaged() throws {
        let bytes = try #require(FileSystem.read("/usr/share/zoneinfo/Europe/Berlin"), "tzdata is missing")
        #expect(TimeZoneFile([]) == nil && TimeZoneFile(Array("TZif".utf8)) == nil)
        for length in stride(from: 0, to: bytes.count, by: 7) {
            _ = TimeZoneFile(Array(bytes.prefix(length)))?.look(at: 1_795_312_341, most: 16)
        }
        for place in 0..<bytes.count {
            var wrong = bytes
            wrong[place] ^= 0x55
            _ = TimeZoneFile(wrong)?.look(at: 1_795_312_341, most: 4)
        }
    }

    /// A zone of version 2 with two offsets, these changes between them, and a rule.
    private static func zone(_ changes: [Int64], _ rule: String) -> TimeZoneFile? {
        func header(_ times: UInt8, _ types: UInt8) -> [UInt8] {
            Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15 + 12) + [0, 0, 0, times, 0, 0, 0, types, 0, 0, 0, 0]
        }
        let times = changes.flatMap { change in (0..<8).map { UInt8(truncatingIfNeeded: change >> (56 - 8 * $0)) } }
        let kinds = changes.indices.map { UInt8($0 % 2) }
        let types: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0x0E, 0x10, 0, 0]
        return TimeZoneFile(
            header(0, 0) + header(UInt8(changes.count), 2) + times + kinds + types + Array("\n\(rule)\n".utf8))
    }

    @Test("Changes come in order, however far away and with whatever rule")
    func order() throws {
        #expect(Self.zone([1_000_000_000, 900_000_000], "UTC0") == nil)
        for change in [Int64.min, .max, -(1 << 59), 1 << 59] {
            let zone = try #require(Self.zone([change], "CET-1CEST,M3.5.0,M10.5.0/3"))
            #expect(zone.look(at: 1_795_312_341, most: 8).next.count == 8)
        }
        // The winter of each year begins in the next one.
        let next = try #require(Self.zone([0], "A0B,M12.5.6/167,M12.5.6/-167")).look(at: 1_795_312_341, most: 8).next
        #expect(next.count == 8)
        #expect(next.map(\.at) == next.map(\.at).sorted())
    }

    @Test("The kernel's news of a device name its subsystem")
    func subsystem() {
        let message = "change@/devices/x\0ACTION=change\0SUBSYSTEM=power_supply\0SEQNUM=1\0"
        #expect(Netlink.subsystem(Array(message.utf8)) == "power_supply")
        #expect(Netlink.subsystem([]) == nil)
    }
}
