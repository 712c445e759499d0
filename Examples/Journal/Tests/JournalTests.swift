import GreenroomTesting
import Testing
import UIKit

@testable import Journal

@MainActor
@Suite("Journal", .simulatedDevice)
struct JournalTests {
    @Test("The user finds the entry that was open, also after the system has ended the app")
    func comesBackAsItWasLeft() async throws {
        let device = try TestDevice(.iOS7)
        let journal = try device.install(
            AppDelegate.self, identifier: "org.greenroom.examples.journal", name: "Journal", urlSchemes: ["journal"])

        // The user opens an entry.
        try await device.open(journal)
        try await device.open(#require(URL(string: "journal://open/3")))
        #expect(journal.state == .active)
        #expect(journal.delegate?.journal.place.entry == 3)

        // Home: nothing entitles the app to run on, so it is suspended, and an hour passes in no time.
        try await device.home()
        #expect(journal.state == .suspended)
        #expect(journal.callbacks.suffix(2) == [.willResignActive, .didEnterBackground])
        try await device.advance(by: .seconds(3600))

        // Its process is ended. A suspended app hears nothing of it.
        try await device.close(journal)
        #expect(journal.state == .notRunning)
        #expect(!journal.callbacks.contains(.willTerminate))
        #expect(journal.why == ["the user closed Journal", "the user closed Journal in the switcher"])

        // It is launched anew, and shows what it showed.
        try await device.open(journal)
        #expect(journal.launches == 2)
        #expect(journal.delegate?.journal.place.entry == 3)
        #expect(device.reports.isEmpty)
    }
}
