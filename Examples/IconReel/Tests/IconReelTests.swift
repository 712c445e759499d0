import GreenroomTesting
import Testing
import UIKit

@testable import IconReel

@MainActor
@Suite("IconReel", .simulatedDevice)
struct IconReelTests {
    @Test("Whatever the way to keep them, every page shows its own icons", arguments: Strategy.allCases)
    func same(_ strategy: Strategy) throws {
        try Pencil.withReel(strategy) { reel, _ in
            for number in Measurement.route {
                reel.visit(number)
                #expect(reel.shows(reel.page(number), number))
            }
        }
    }

    @Test(
        "The ways differ in how many columns they keep and how often they draw, as in the talk",
        arguments: [
            (Strategy.everything, 240, 240), (.onePage, 4, 488), (.queue, 4, 488), (.awaited, 4, 488),
            (.threePages, 12, 520), (.cache, 12, 240), (.purgeable, 12, 240), (.twoLevels, 12, 240), (.mapped, 4, 240),
        ])
    func tradeOffs(_ strategy: Strategy, _ kept: Int, _ drawn: Int) throws {
        try Pencil.withReel(strategy) { reel, pencil in
            for number in Measurement.route.dropLast(20) + [30, 10, 50, 30] { reel.visit(number) }
            #expect(reel.workingSet.count == kept)
            #expect(pencil.drawn.count == drawn)
        }
    }

    @Test("The app shows pages and changes its way by URLs, and refuses others")
    func app() async throws {
        AppDelegate.draw = Icons.fill
        defer { AppDelegate.draw = Icons.draw }
        let device = try TestDevice(.iOS7)
        let app = try device.install(
            AppDelegate.self, identifier: "org.greenroom.examples.iconreel", name: "IconReel", urlSchemes: ["iconreel"])
        try await device.open(app)
        try await device.open(#require(URL(string: "iconreel://page/7")))
        #expect(app.delegate?.page == 7)
        app.delegate?.reel?.finishDrawing()
        #expect(app.delegate?.reel?.workingSet.keys.sorted() == Array(24..<36))
        try await device.open(#require(URL(string: "iconreel://keep/one-page")))
        #expect(app.delegate?.strategy == .onePage)
        #expect(app.delegate?.reel?.workingSet.keys.sorted() == Array(28..<32))
        for refused in ["iconreel://keep/nothing", "iconreel://page/60", "iconreel://columns/5", "iconreel://dance"] {
            try await device.open(#require(URL(string: refused)))
        }
        #expect(app.delegate?.page == 7)
    }

    @Test("In the background its cache is given up, and what is on screen when it comes back needs no drawing")
    func background() async throws {
        let pencil = Pencil()
        AppDelegate.draw = pencil.draw
        defer { AppDelegate.draw = Icons.draw }
        let device = try TestDevice(.iOS7)
        let app = try device.install(
            AppDelegate.self, identifier: "org.greenroom.examples.iconreel", name: "IconReel", urlSchemes: ["iconreel"])
        try await device.open(app)
        func visit(_ place: String) async throws {
            try await device.open(#require(URL(string: "iconreel://\(place)")))
            app.delegate?.reel?.finishDrawing()
        }
        for place in ["keep/cache", "page/20", "page/0", "page/20"] { try await visit(place) }
        let drawn = pencil.drawn.count
        try await visit("page/0")
        #expect(pencil.drawn.count == drawn, "from the cache")
        try await device.home()
        try await device.open(app)
        let reel = try #require(app.delegate?.reel)
        #expect(reel.shows(reel.page(0), 0) && pencil.drawn.count == drawn, "the working set has stayed")
        try await visit("page/20")
        #expect(pencil.drawn.count == drawn + 12, "the cache has not")
    }

    @Test("Beside another app it shows three columns of what it showed")
    func narrow() async throws {
        AppDelegate.draw = Icons.fill
        defer { AppDelegate.draw = Icons.draw }
        let device = try TestDevice(.iOS7)
        let app = try device.install(
            AppDelegate.self, identifier: "org.greenroom.examples.iconreel", name: "IconReel", urlSchemes: ["iconreel"])
        try await device.open(app)
        for url in ["iconreel://page/9", "iconreel://columns/3"] {
            try await device.open(#require(URL(string: url)))
        }
        #expect(app.delegate?.page == 12 && app.delegate?.reel?.columnsPerPage == 3)
        try await device.open(#require(URL(string: "iconreel://columns/4")))
        #expect(app.delegate?.page == 9)
    }
}
