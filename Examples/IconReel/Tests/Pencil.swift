import Foundation
import Synchronization

@testable import IconReel

/// Draws columns quickly, and counts; it can be held, as if drawing took long.
final class Pencil: Sendable {
    private let columns = Mutex<[Int]>([])
    private let waits = Mutex(0)
    private let gate = DispatchSemaphore(value: 0)
    private let isHeld: Bool

    /// - Parameter isHeld: draws nothing until somebody waits for it.
    init(isHeld: Bool = false) { self.isHeld = isHeld }

    var drawn: [Int] { columns.withLock { $0 } }
    /// How often somebody waited.
    var waited: Int { waits.withLock { $0 } }

    @Sendable func draw(_ column: Int) -> Data {
        if isHeld {
            gate.wait()
            gate.signal()
        }
        columns.withLock { $0.append(column) }
        return Data(repeating: UInt8(column), count: Icons.bytesPerColumn)
    }

    @Sendable func somebodyWaits() {
        waits.withLock { $0 += 1 }
        if isHeld { gate.signal() }
    }

    /// A reel in a folder of its own, which goes with the closure.
    static func withReel(
        _ strategy: Strategy, _ pencil: Pencil = Pencil(), _ body: (Reel, Pencil) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "iconreel-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(
            try Reel(strategy, folder: folder, draw: pencil.draw, willWait: pencil.somebodyWaits), pencil)
    }
}

extension Reel {
    /// The user flicks to a page and looks at it until everything is ready; whether it was whole at once.
    @discardableResult
    func visit(_ number: Int) -> Bool {
        flick(to: number)
        let isWhole = shows(page(number), number)
        settle(on: number)
        finishDrawing()
        return isWhole
    }

    /// Whether these are the columns of that page.
    func shows(_ columns: [Data], _ number: Int) -> Bool {
        zip(columns, number * columnsPerPage..<(number + 1) * columnsPerPage).allSatisfy { icons, column in
            icons.count == Icons.bytesPerColumn && icons.first == UInt8(column) && icons.last == UInt8(column)
        }
    }
}
