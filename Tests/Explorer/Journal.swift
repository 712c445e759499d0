import Foundation
import GreenroomTesting
import UIKit

@testable import Journal

/// Journal, as a user with three entries handles it.
@MainActor
func finding(_ profile: TestDevice.Profile, seed: UInt64, stories: Int) async throws -> TestDevice.Finding? {
    let device = try TestDevice(profile)
    let app = try device.install(
        AppDelegate.self, identifier: "org.greenroom.examples.journal", name: "Journal", urlSchemes: ["journal"])
    var exploration = TestDevice.Exploration()
    exploration.stories = stories
    exploration.urls = [
        "journal://open/1", "journal://open/2", "journal://open/3", "journal://open/9", "journal://list",
        "journal://scroll?lines=4",
        "journal://new?title=Rain&text=It%20rained.", "journal://append?text=Still.", "journal://delete/2",
        "journal://delete",
        "journal://visit",
    ]
    return try await device.explore(app, seed: seed, exploration) { "\($0.journal.place)" }
}
