import Foundation
import GreenroomTesting
import UIKit

@testable import Podcasts

/// Podcasts, with a feed that is there, and two that are not.
@MainActor
func finding(_ profile: TestDevice.Profile, seed: UInt64, stories: Int) async throws -> TestDevice.Finding? {
    let device = try TestDevice(profile)
    let app = try device.install(
        AppDelegate.self, identifier: "org.greenroom.examples.podcasts", name: "Podcasts", urlSchemes: ["podcasts"],
        backgroundModes: ["fetch", "remote-notification"],
        // Of bugs that are planted: Podcasts itself has no such task.
        backgroundTasks: ["org.greenroom.examples.podcasts.refresh"])
    var exploration = TestDevice.Exploration()
    exploration.stories = stories
    // A network's time is not the device's: the feeds are in their URLs.
    let feed = """
        <rss version="2.0"><channel><item><title>One</title><guid>one</guid>\
        <enclosure url="http://feeds.example/one.mp3"/></item><item><title>Two</title><guid>two</guid>\
        <enclosure url="nowhere://two.mp3"/></item></channel></rss>
        """
    exploration.urls = [
        "podcasts://subscribe?feed=data:text/xml;base64,\(Data(feed.utf8).base64EncodedString())",
        "podcasts://subscribe?feed=data:text/plain,gone", "podcasts://subscribe?feed=nowhere://feed.xml",
        "podcasts://nothing",
    ]
    // No transfers: their service is not on the simulated device, and the session never hears that its events are over.
    return try await device.explore(app, seed: seed, exploration) { _ in
        // What the user sees.
        String(decoding: UIApplication.shared.snapshotProvider?()?.data ?? Data(), as: UTF8.self)
    }
}
