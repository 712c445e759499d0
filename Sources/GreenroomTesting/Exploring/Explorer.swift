internal import Foundation
internal import Glibc

/// Tells stories until one fails, and makes that one as short as can be.
@MainActor
struct Explorer {
    typealias Attempt = Telling.Attempt

    let call: String
    let exploration: TestDevice.Exploration
    /// How many stories a process tells: what they leave of themselves ends with it.
    private static let portion = 250

    struct Story {
        var seed: UInt64
        var steps: [(step: StoryStep, isRefused: Bool)]
        var failure: Failure
    }

    /// - Returns: the shortest story that fails; `nil` if none does.
    func explore(seed: UInt64) async throws(TestDeviceError) -> Story? {
        var first = 0
        while first < exploration.stories {
            let count = min(Self.portion, exploration.stories - first)
            let attempts = (first..<first + count).map { Attempt(seed: seed &+ UInt64($0)) }
            if let story = try await run(attempts) { return try await shrink(story) }
            first += count
        }
        return nil
    }

    private func run(_ attempts: [Attempt]) async throws(TestDeviceError) -> Story? {
        let outcome = try await StoryProcess(attempts, call: call, exploration).run()
        return outcome.failed.map { Story(seed: attempts[$0.attempt].seed, steps: $0.steps, failure: $0.failure) }
    }

    // MARK: Shorter

    /// Delta debugging: leaves out ever smaller runs of steps, then tries plainer ones. One process tries candidates
    /// until one fails in the same way.
    private func shrink(_ story: Story) async throws(TestDeviceError) -> Story {
        let end = ContinuousClock.now + exploration.shrinking
        var best = story
        var length = max(1, best.steps.count / 2)
        while length > 0, ContinuousClock.now < end {
            let shorter = stride(from: 0, to: best.steps.count, by: length).map { start in
                best.steps.map(\.step).enumerated().filter { !(start..<start + length).contains($0.offset) }
                    .map(\.element)
            }
            if let found = try await first(of: shorter, like: best) {
                best = found
                length = min(length, max(1, best.steps.count / 2))
            } else {
                length /= 2
            }
        }
        var isPlainer = true
        while isPlainer, ContinuousClock.now < end {
            let steps = best.steps.map(\.step)
            let plainer = steps.indices.flatMap { place in
                steps[place].simpler.map { step in
                    var changed = steps
                    changed[place] = step
                    return changed
                }
            }
            guard let found = try await first(of: plainer, like: best) else { break }
            isPlainer = found.steps.map(\.step) != steps
            best = found
        }
        return best
    }

    private func first(of candidates: [[StoryStep]], like story: Story) async throws(TestDeviceError) -> Story? {
        var left = candidates.filter { !$0.isEmpty || story.failure.problem != .crash }[...]
        while !left.isEmpty {
            let attempts = left.map { Attempt(seed: story.seed, steps: $0) }
            let outcome = try await StoryProcess(attempts, call: call, exploration.impatient).run()
            guard let failed = outcome.failed else { return nil }
            if failed.failure.signature == story.failure.signature {
                return Story(seed: story.seed, steps: failed.steps, failure: failed.failure)
            }
            // Another fault: this one is looked for in what is left.
            left = left.dropFirst(failed.attempt + 1)
        }
        return nil
    }
}
