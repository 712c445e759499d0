import Foundation
import Glibc

/// What a way to keep icons costs.
struct Measurement {
    var strategy: Strategy
    /// Milliseconds from the start to the first page.
    var launch: Double
    /// Milliseconds from the flick to the page, one for each.
    var flips: [Double]
    /// Pages that came without their icons.
    var gaps: Int
    /// Milliseconds of processor time for each flick, with what is made ready after it.
    var processor: Double
    /// What was added to the process.
    var footprint: Footprint

    /// A frame lasts 16.7 ms; a page that takes longer is seen to stutter.
    var stutters: Int { flips.count { $0 > 1000 / 60 } }
    var median: Double { flips.sorted()[flips.count / 2] }
    var worst: Double { flips.max() ?? 0 }

    /// From the first page to the last, back, and then here and there.
    static let route: [Int] = {
        var place: UInt32 = 1
        let pages = Icons.columns / Icons.columnsPerPage
        let jumps = (0..<20).map { _ in
            place = place &* 1_664_525 &+ 1_013_904_223
            return Int(place >> 8) % pages
        }
        return Array(1..<pages) + (0..<pages - 1).reversed() + jumps
    }()

    /// The user flicks quickly, and looks at each page until all is ready that belongs to it.
    static func take(_ strategy: Strategy, draw: @escaping @Sendable (Int) -> Data) throws -> Measurement {
        let folder = FileManager.default.temporaryDirectory.appending(path: "iconreel-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var screen = Data(count: Icons.bytesPerColumn * Icons.columnsPerPage)
        let before = Footprint.now
        let start = ContinuousClock.now
        let reel = try Reel(strategy, folder: folder, draw: draw)
        screen = show(reel.page(0), instead: screen)
        let launch = milliseconds(since: start)
        reel.settle(on: 0)
        reel.finishDrawing()
        let gaps = reel.gaps
        let processor = processorTime
        var flips: [Double] = []
        for page in route {
            let flick = ContinuousClock.now
            reel.flick(to: page)
            screen = show(reel.page(page), instead: screen)
            flips.append(milliseconds(since: flick))
            reel.settle(on: page)
            reel.finishDrawing()
        }
        let perPage = (processorTime - processor) / Double(route.count)
        // What it keeps is to be measured, not what the C library has not given back.
        returnFreeMemory()
        let footprint = withExtendedLifetime(reel) { Footprint.now - before }
        return Measurement(
            strategy: strategy, launch: launch, flips: flips, gaps: reel.gaps - gaps, processor: perPage,
            footprint: footprint)
    }

    /// The corresponding C function is `malloc_trim`, of which Swift's Glibc does not know.
    private static func returnFreeMemory() {
        typealias Function = @convention(c) (Int) -> CInt
        guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
        _ = unsafe unsafeBitCast(symbol, to: Function.self)(0)
    }

    /// Copies a page to where the screen would read it.
    private static func show(_ page: [Data], instead screen: Data) -> Data {
        var screen = screen
        var place = screen.startIndex
        for column in page {
            screen.replaceSubrange(place..<place + column.count, with: column)
            place += column.count
        }
        return screen
    }

    private static func milliseconds(since start: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - start) / .milliseconds(1)
    }

    private static var processorTime: Double { Double(clock()) * 1000 / Double(CLOCKS_PER_SEC) }
}

extension Measurement {
    /// For the program that makes the table.
    var line: String {
        [
            strategy.rawValue, "\(launch)", "\(median)", "\(worst)", "\(stutters)", "\(gaps)", "\(processor)",
            "\(footprint.dirty)", "\(footprint.purgeable)", "\(footprint.clean)",
        ].joined(separator: " ")
    }
}

/// One line for each way, each measured in a process of its own.
enum Table {
    static func print() throws {
        Swift.print(
            "              launch  page appears (ms)   pages that  that come  CPU a      dirty  purgeable  clean")
        Swift.print(
            "              (ms)    median    worst     stutter     empty      page (ms)  (MB)   (MB)       (MB)")
        for strategy in Strategy.allCases { Swift.print(try row(strategy)) }
    }

    private static func row(_ strategy: Strategy) throws -> String {
        let program = Process()
        program.executableURL = Bundle.main.executableURL
        program.arguments = ["measure", strategy.rawValue]
        let output = Pipe()
        program.standardOutput = output
        try program.run()
        let line = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        program.waitUntilExit()
        let figures = line.split(whereSeparator: \.isWhitespace).dropFirst().compactMap { Double($0) }
        guard figures.count == 9 else { return "\(strategy.rawValue): no measurement" }
        let cells = [
            String(format: "%.0f", figures[0]), String(format: "%.2f", figures[1]), String(format: "%.1f", figures[2]),
            String(format: "%.0f of \(Measurement.route.count)", figures[3]), String(format: "%.0f", figures[4]),
            String(format: "%.1f", figures[5]), "\(Int(figures[6]) >> 20)", "\(Int(figures[7]) >> 20)",
            "\(Int(figures[8]) >> 20)",
        ]
        let widths = [8, 10, 10, 12, 11, 11, 7, 11, 0]
        return zip(cells, widths).reduce(strategy.rawValue.padded(14)) { $0 + $1.0.padded($1.1) }
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
