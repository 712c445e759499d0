import GreenroomTesting
import Testing
import UIKit

@testable import IconReel

@MainActor
@Suite("IconReel", .simulatedDevice)
struct IconReelTests {
    /// Draws pages quickly, and counts.
    private final class Pencil {
        var drawn: [Int] = []
        func draw(_ page: Int) -> Data {
            drawn.append(page)
            return Data(repeating: UInt8(page), count: Icons.bytesPerPage)
        }
    }

    private func withReel(_ strategy: Strategy, _ body: (Reel, Pencil) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "iconreel-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pencil = Pencil()
        try body(try Reel(strategy, folder: folder, draw: pencil.draw), pencil)
    }

    @Test("Whatever the way to keep them, every page shows its own icons", arguments: Strategy.allCases)
    func same(_ strategy: Strategy) throws {
        try withReel(strategy) { reel, _ in
            for number in Measurement.route {
                let page = reel.page(number)
                #expect(page.count == Icons.bytesPerPage)
                #expect(page.first == UInt8(number) && page.last == UInt8(number))
                reel.settle(on: number)
            }
        }
    }

    @Test(
        "The ways differ in how many pages they keep and how often they draw, as in the talk",
        arguments: [
            (Strategy.everything, 60, 60), (.onePage, 1, 122), (.threePages, 3, 130), (.cache, 3, 60),
            (.purgeable, 3, 60), (.mapped, 1, 60),
        ])
    func tradeOffs(_ strategy: Strategy, _ kept: Int, _ drawn: Int) throws {
        try withReel(strategy) { reel, pencil in
            for number in Measurement.route.dropLast(20) {
                _ = reel.page(number)
                reel.settle(on: number)
            }
            for number in [30, 10, 50, 30] {
                _ = reel.page(number)
                reel.settle(on: number)
            }
            #expect(reel.workingSet.count == kept)
            #expect(pencil.drawn.count == drawn)
        }
    }

    @Test("Pages that the system has taken are drawn again")
    func discarded() throws {
        let store = PurgeableStore()
        store.put(Data(repeating: 5, count: 100_000), 5)
        #expect(store.take(5) == Data(repeating: 5, count: 100_000))
        #expect(store.take(5) == nil)
    }

    @Test("The app shows pages and changes its way by URLs, and refuses others")
    func app() async throws {
        let device = try TestDevice(.iOS7)
        let app = try device.install(
            AppDelegate.self, identifier: "org.greenroom.examples.iconreel", name: "IconReel", urlSchemes: ["iconreel"])
        try await device.open(app)
        try await device.open(#require(URL(string: "iconreel://page/7")))
        #expect(app.delegate?.page == 7)
        #expect(app.delegate?.reel?.workingSet.keys.sorted() == [6, 7, 8])
        try await device.open(#require(URL(string: "iconreel://keep/one-page")))
        #expect(app.delegate?.strategy == .onePage)
        #expect(app.delegate?.reel?.workingSet.keys.sorted() == [7])
        for refused in ["iconreel://keep/nothing", "iconreel://page/60", "iconreel://dance"] {
            try await device.open(#require(URL(string: refused)))
        }
        #expect(app.delegate?.page == 7)
    }
}
