import Foundation
import Model
import PolicyCore
import Testing

@Suite("Finding an app by its name") struct AppNamesTests {
    private func identifier(_ number: Int) throws -> AppIdentifier {
        try #require(AppIdentifier("org.example.app\(number)"))
    }

    private func system(apps: Int) throws -> System {
        var system = System(profile: .linux)
        for number in 0..<apps {
            let manifest = AppManifest(identifier: try identifier(number), name: "app\(number)", kind: .plain)
            _ = system.handle(.installed(manifest), at: Instant(nanoseconds: Int64(number)))
        }
        return system
    }

    @Test("Every app is found without a look at the others, also behind a checkpoint")
    func found() throws {
        var system = try system(apps: 300)
        #expect(system.findsAppsByName)
        for number in [0, 150, 299] {
            #expect(system.index(of: try identifier(number)) == AppIndex(UInt32(number)))
        }
        #expect(system.index(of: try identifier(300)) == nil)
        system = try CompactFormat.decode(System.self, from: CompactFormat.encode(system))
        #expect(system.index(of: try identifier(299)) == AppIndex(299), "before the first event as well")
        _ = system.handle(.timer, at: Instant(nanoseconds: 1_000))
        #expect(system.findsAppsByName)
        #expect(system.index(of: try identifier(299)) == AppIndex(299))
    }

    @Test("An app that is uninstalled is not found, keeps its place, and is found there when it is installed again")
    func uninstalled() throws {
        var system = try system(apps: 3)
        let name = try identifier(1)
        _ = system.handle(.command(CommandID(1), .uninstall(AppIndex(1))), at: Instant(nanoseconds: 10))
        #expect(system.index(of: name) == nil)
        #expect(system.known(name) == AppIndex(1))
        let manifest = AppManifest(identifier: name, name: "again", kind: .plain)
        _ = system.handle(.installed(manifest), at: Instant(nanoseconds: 11))
        #expect(system.index(of: name) == AppIndex(1))
        #expect(system.allApps.count == 3)
    }

    @Test("To install what is installed would change nothing, and the host is told so; anything else would")
    func unchanged() throws {
        var system = System(profile: .linux)
        var manifest = AppManifest(identifier: try identifier(0), name: "app", urlSchemes: ["Test"])
        #expect(!system.isInstalled(manifest))
        _ = system.handle(.installed(manifest), at: .zero)
        #expect(system.isInstalled(manifest))
        let before = try CompactFormat.encode(system)
        _ = system.handle(.installed(manifest), at: .zero)
        #expect(try CompactFormat.encode(system) == before)
        manifest.name = "other"
        #expect(!system.isInstalled(manifest))
        _ = system.handle(.command(CommandID(1), .uninstall(AppIndex(0))), at: .zero)
        manifest.name = "app"
        #expect(!system.isInstalled(manifest))
    }
}
