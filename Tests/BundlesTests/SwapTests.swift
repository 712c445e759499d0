import Bundles
import Foundation
import Glibc
import Synchronization
import Testing

/// Swaps two entries of a bundle as fast as it can while it lives.
private final class Swapper: Sendable {
    private let isDone = Atomic(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    private init(_ swap: @escaping @Sendable () -> Void) {
        let thread = Thread { [self] in
            while !isDone.load(ordering: .relaxed) { swap() }
            hasEnded.signal()
        }
        thread.start()
    }

    /// Makes `path` the one and the other of two files or links in turn; it is never missing.
    static func files(_ path: String, _ one: String, _ other: String) -> Swapper {
        let spare = path + ".spare"
        return Swapper {
            for source in [one, other] {
                _ = unsafe link(source, spare)
                _ = unsafe rename(spare, path)
            }
        }
    }

    /// Exchanges two entries of any kind; both are missing at moments.
    static func exchanging(_ path: String, _ other: String, spare: String) -> Swapper {
        Swapper {
            _ = unsafe rename(path, spare)
            _ = unsafe rename(other, path)
            _ = unsafe rename(spare, other)
        }
    }

    func stop() {
        isDone.store(true, ordering: .relaxed)
        hasEnded.wait()
    }
}

@Suite("What is copied is what was checked, whatever is swapped in meanwhile")
struct SwapTests {
    private let workshop: Workshop
    private let rounds = 60

    init() throws {
        workshop = try Workshop()
    }

    /// Inspects again and again, and hands every copy that was accepted to `check`.
    private func inspectRepeatedly(_ check: (Manifest) throws -> Void) throws {
        for _ in 0..<rounds {
            if let manifest = try? Inspection.inspect(path: workshop.path("Good.app"), staging: workshop.staging) {
                try check(manifest)
            }
            if unsafe access(workshop.path("staging/bundle"), F_OK) == 0 { try workshop.remove("staging/bundle") }
        }
    }

    @Test("The manifest is that of the copied property list") func list() throws {
        try workshop.makeBundle()
        // Time to swap between the copy of the list, which comes first, and the end.
        for index in 0..<100 { try workshop.write("", to: "Good.app/z\(index)") }
        try workshop.write(infoPlist(), to: "one.plist")
        try workshop.write(infoPlist(identifier: "org.example.other"), to: "other.plist")
        let swapper = Swapper.files(
            workshop.path("Good.app/Info.plist"), workshop.path("one.plist"), workshop.path("other.plist"))
        defer { swapper.stop() }
        try inspectRepeatedly { manifest in
            let copied = try workshop.read("staging/bundle/Info.plist")
            #expect(copied.contains(manifest.identifier + "<"))
        }
    }

    @Test("A file that becomes a link to a secret is refused or copied as the file") func link() throws {
        try workshop.makeBundle()
        try workshop.write("harmless", to: "Good.app/data")
        try workshop.write("secret", to: "secret")
        try workshop.link("link", to: workshop.path("secret"))
        try workshop.write("harmless", to: "harmless")
        let swapper = Swapper.files(workshop.path("Good.app/data"), workshop.path("harmless"), workshop.path("link"))
        defer { swapper.stop() }
        try inspectRepeatedly { _ in
            let copied = workshop.path("staging/bundle/data")
            #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: copied)) == nil)
            if let text = try? workshop.read("staging/bundle/data") { #expect(text == "harmless") }
        }
    }

    @Test("A folder that becomes a link to one outside is refused or copied as the folder") func folder() throws {
        try workshop.makeBundle()
        try workshop.write("harmless", to: "Good.app/sub/data")
        try workshop.write("secret", to: "outside/data")
        try workshop.link("link", to: workshop.path("outside"))
        let swapper = Swapper.exchanging(
            workshop.path("Good.app/sub"), workshop.path("link"), spare: workshop.path("spare"))
        defer { swapper.stop() }
        try inspectRepeatedly { _ in
            if let text = try? workshop.read("staging/bundle/sub/data") { #expect(text == "harmless") }
        }
    }
}
