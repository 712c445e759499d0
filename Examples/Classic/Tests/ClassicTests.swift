import Foundation
import GreenroomTesting
import Testing
import UIKit

@testable import Classic

private final class Listener: NSObject, ReadingDelegate {
    var saved: [Int] = []
    func reading(_ controller: ReadingController, didSaveAt seconds: Int) { saved.append(seconds) }
}

@MainActor
@Suite("Classic, the iOS code that nobody changed", .simulatedDevice)
struct ClassicTests {
    @Test("Its selectors, timers, publishers and optional methods do what they do on iOS")
    func lives() async throws {
        let device = try TestDevice()
        let app = try device.install(AppDelegate.self, identifier: "org.greenroom.examples.classic")
        try await device.open(app)
        let reading = try #require(app.delegate?.reading)
        let listener = Listener()
        reading.delegate = listener
        #expect(reading.navigationController?.topViewController === reading)
        try await device.home()
        #expect((reading.saves, reading.returns) == (1, 0))
        #expect(listener.saved == [reading.seconds])
        try await device.open(app)
        #expect((reading.saves, reading.returns) == (1, 1))
        try await app.perform { $0.reading.pauseButton.sendActions(for: .touchUpInside) }
        try await app.perform { $0.reading.delegate = nil }
        try await device.home()
        #expect(reading.saves == 2)
        #expect(listener.saved.count == 1)
        #expect(device.reports.isEmpty)
    }

    @Test("What it observes is told, by key path, by name and by a publisher")
    func observing() async throws {
        let device = try TestDevice(virtualizesTime: true)
        let app = try device.install(AppDelegate.self, identifier: "org.greenroom.examples.classic")
        try await device.open(app)
        let reading = try #require(app.delegate?.reading)
        try await device.advance(by: .seconds(10))
        // The publisher stops it at two.
        #expect((reading.seconds, reading.title, reading.jumps) == (2, "2 s", 2))
        #expect((reading.chapters.first, reading.lastChapter) == ("Beginning", "At 2 s"))
    }

    @Test("A link to a site comes as an activity")
    func links() async throws {
        let device = try TestDevice()
        let app = try device.install(
            AppDelegate.self, identifier: "org.greenroom.examples.classic", urlSchemes: ["https"])
        try await device.open(#require(URL(string: "https://example.org/page/3")))
        #expect(app.delegate?.link?.path == "/page/3")
    }
}
