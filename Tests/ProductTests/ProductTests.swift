import LinuxSystem
import ServiceTesting
import Testing

/// What the programs of a device are linked with, and how large they are: what a new library costs is seen here.
@Suite("What is delivered")
struct ProductTests {
    struct Product: CustomTestStringConvertible, Sendable {
        var name: String
        /// Libraries of Debian's beside the C library.
        var libraries: Set<String>
        /// Of Foundation's, which the toolchain brings.
        var foundation: Set<String>
        /// Bytes that are loaded: code, constants and data.
        var most: Int

        var testDescription: String { name }
    }

    private static let essentials: Set = ["libFoundationEssentials.so"]
    private static let all: Set = [
        "libFoundation.so", "libFoundationEssentials.so", "libFoundationInternationalization.so",
    ]

    static let products = [
        Product(name: "greenroomd", libraries: ["libsqlite3.so.0"], foundation: all, most: 11_500_000),
        Product(name: "greenroom-keeper", libraries: [], foundation: [], most: 1_250_000),
        Product(name: "greenroom", libraries: ["libsystemd.so.0"], foundation: essentials, most: 8_800_000),
        Product(
            name: "greenroom-transferd",
            libraries: ["libcrypto.so.3", "libcurl.so.4", "libsqlite3.so.0", "libssl.so.3"], foundation: all,
            most: 9_700_000),
        Product(
            name: "greenroom-pushd",
            libraries: ["libcrypto.so.3", "libsqlite3.so.0", "libssl.so.3", "libsystemd.so.0"], foundation: all,
            most: 10_200_000),
        Product(name: "greenroom-locationd", libraries: ["libsystemd.so.0"], foundation: essentials, most: 5_500_000),
        Product(
            name: "greenroom-audiod", libraries: ["libpipewire-0.3.so.0", "libsystemd.so.0"], foundation: essentials,
            most: 6_100_000),
        Product(name: "Journal", libraries: [], foundation: all, most: 4_000_000),
    ]

    @Test("A program is linked with what it needs and nothing else", arguments: products)
    func libraries(_ product: Product) throws {
        let output = try Command.run("/usr/bin/readelf", ["--dynamic", "--wide", "\(Place.products)/\(product.name)"])
        let needed = String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { line -> String? in
            guard line.contains("(NEEDED)"), let start = line.firstIndex(of: "["), let end = line.firstIndex(of: "]")
            else { return nil }
            return String(line[line.index(after: start)..<end])
        }
        try #require(needed.contains("libc.so.6"), "the rule reads nothing")
        // The C library, and what Swift's own runtime is.
        let runtime: Set = ["ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libBlocksRuntime.so", "libdispatch.so"]
        let others = Set(needed).subtracting(runtime).filter { !$0.hasPrefix("libswift") }
        #expect(others == product.libraries.union(product.foundation))
    }

    @Test("A program is as large as it was, or somebody has decided that it may grow", arguments: products)
    func size(_ product: Product) throws {
        let output = try Command.run("/usr/bin/size", ["\(Place.products)/\(product.name)"])
        let numbers = String(decoding: output, as: UTF8.self).split(separator: "\n").last?.split(separator: "\t") ?? []
        let bytes = numbers.prefix(2).compactMap { Int($0.filter { $0 != " " }) }
        try #require(bytes.count == 2, "the rule reads nothing")
        #expect(bytes.reduce(0, +) <= product.most)
        #expect(bytes.reduce(0, +) > product.most / 2, "the bound is far away")
    }
}
