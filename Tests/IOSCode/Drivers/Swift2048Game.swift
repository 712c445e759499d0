import Foundation
import Testing

@testable import Swift2048Game

final class Board: GameModelProtocol {
    var moves = 0
    func scoreChanged(to score: Int) {}
    func moveOneTile(from: (Int, Int), to: (Int, Int), value: Int) { moves += 1 }
    func moveTwoTiles(from: ((Int, Int), (Int, Int)), to: (Int, Int), value: Int) { moves += 1 }
    func insertTile(at location: (Int, Int), withValue value: Int) {}
}

@Suite("The game 2048")
struct Swift2048GameTests {
    @Test("Moves are made one at a time by a timer with a selector")
    func moves() {
        let board = Board()
        let model = GameModel(dimension: 4, threshold: 2048, delegate: board)
        model.insertTile(at: (0, 0), value: 2)
        var done: [Bool] = []
        model.queueMove(direction: .right) { done.append($0) }
        model.queueMove(direction: .left) { done.append($0) }
        #expect(done == [true])
        let end = Date(timeIntervalSinceNow: 10)
        while done.count < 2, Date() < end { _ = RunLoop.current.run(mode: .default, before: end) }
        #expect(done == [true, true])
        #expect(board.moves == 2)
    }
}
