internal import Foundation

/// What a process of its own is to tell, and what it says meanwhile: files of JSON.
struct Telling: Codable {
    /// A story that is thought of on the way, or one that is known.
    struct Attempt: Codable, Hashable {
        var seed: UInt64
        var steps: [StoryStep]?
    }

    /// Which call of `explore` it is for: a test may have several.
    var call: String
    var attempts: [Attempt]
    /// Where the process says what happens.
    var progress: String
    /// Where its standard error goes.
    var output: String

    /// A line of what the process says.
    enum Line: Codable {
        case begins(Int)
        case step(StoryStep)
        /// The last step was refused.
        case refused
        case fails(Failure)
        /// The story is over, and everything has been taken down.
        case ends
        case done
    }

    /// The variable that says where the telling is; a process that has it is one of these.
    static let variable = "GREENROOM_TELLING"

    static var own: Telling? {
        ProcessInfo.processInfo.environment[variable].flatMap { FileManager.default.contents(atPath: $0) }
            .flatMap { try? JSONDecoder().decode(Telling.self, from: $0) }
    }

    /// What has been said so far.
    var lines: [Line] {
        let data = FileManager.default.contents(atPath: progress) ?? Data()
        // The last line may be half written.
        return data.split(separator: UInt8(ascii: "\n")).compactMap { try? JSONDecoder().decode(Line.self, from: $0) }
    }
}

/// In a process of its own: tells stories until one fails.
@MainActor
struct Teller {
    let telling: Telling
    let subject: Subject
    let exploration: TestDevice.Exploration
    private let progress: FileHandle

    init(_ telling: Telling, _ subject: Subject, _ exploration: TestDevice.Exploration) throws(TestDeviceError) {
        self.telling = telling
        self.subject = subject
        self.exploration = exploration
        guard let progress = FileHandle(forWritingAtPath: telling.progress) else {
            throw .unsupported("\(telling.progress) cannot be written")
        }
        self.progress = progress
    }

    func tell() async throws {
        let complaints = Complaints(path: telling.output)
        for (number, attempt) in telling.attempts.enumerated() {
            say(.begins(number))
            let run = try StoryRun(subject, attempt.seed, exploration, complaints: complaints)
            let failure = await tell(attempt, run)
            if let failure { say(.fails(failure)) }
            run.end()
            if failure != nil { break }
            say(.ends)
        }
        say(.done)
    }

    private func tell(_ attempt: Telling.Attempt, _ run: StoryRun) async -> Failure? {
        var teller = StoryTeller(exploration, subject, seed: attempt.seed)
        var steps = attempt.steps?[...]
        for _ in 0..<(attempt.steps?.count ?? exploration.steps) {
            guard let step = steps == nil ? teller.next(run.state) : steps?.popFirst() else { break }
            say(.step(step))
            let (failure, isRefused) = await run.perform(step)
            if isRefused { say(.refused) }
            if let failure { return failure }
        }
        return nil
    }

    /// Before it happens: afterwards there may be nobody to say it.
    private func say(_ line: Telling.Line) {
        guard var data = try? JSONEncoder().encode(line) else { return }
        data.append(UInt8(ascii: "\n"))
        // A process that cannot say anything is given up by the one that waits for it.
        try? progress.write(contentsOf: data)
    }
}
