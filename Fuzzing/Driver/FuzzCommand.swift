internal import ArgumentParser
internal import Foundation

/// `greenroom-fuzz`: docs/FUZZING.md.
struct FuzzCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greenroom-fuzz",
        abstract: "Tries what reads the words of strangers with inputs that nobody wrote.",
        subcommands: [List.self, Run.self, Replay.self, Sow.self, ChildCommand.self])
}

extension FuzzTarget: ExpressibleByArgument {
    init?(argument: String) {
        guard let target = FuzzTarget.all.first(where: { $0.name == argument }) else { return nil }
        self = target
    }

    static var allValueStrings: [String] { all.map(\.name) }
}

extension FuzzCommand {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the targets.")

        func run() {
            for target in FuzzTarget.all {
                print(target.name.padding(toLength: 12, withPad: " ", startingAt: 0), target.summary)
            }
        }
    }

    struct Run: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Run targets, all if none is named, each for its part of the time.")

        @Argument(help: "What to run.") var targets: [FuzzTarget] = []
        @Option(help: "Seconds for all of them together.") var seconds = 60.0
        @Option(help: "The same seed makes the same inputs.") var seed: UInt64 = 1
        @Option(help: "The folder with Corpus and Dictionaries.") var folder = "Fuzzing"
        @Option(help: "Where to put inputs that something died of.") var findings = ".build/fuzzing"

        func validate() throws {
            guard seconds > 0, seconds <= 1_000_000 else { throw ValidationError("--seconds is above zero.") }
            guard FileManager.default.fileExists(atPath: folder + "/Corpus") else {
                throw ValidationError("\(folder) holds no Corpus: run it in the repository, or name its --folder.")
            }
        }

        func run() throws {
            let targets = targets.isEmpty ? FuzzTarget.all : targets
            let supervisor = Supervisor(folder: folder, findings: findings, seed: seed)
            var isClean = true
            for target in targets {
                let isWell = try supervisor.run(target, seconds: seconds / Double(targets.count))
                isClean = isClean && isWell
            }
            if !isClean { throw ExitCode.failure }
        }
    }

    struct Replay: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Run one input in this process, to see where it dies, or what is said of it.")

        @Argument var target: FuzzTarget
        @Argument(help: "Files of the corpus, or findings.") var files: [String]

        func run() throws {
            for file in files {
                guard let input = Corpus.contents(file) else { throw ValidationError("\(file) cannot be read.") }
                do throws(BrokenPromise) {
                    print("\(file): \(try Execution.run(target, input))")
                } catch {
                    print("\(file): \(error)")
                    throw ExitCode.failure
                }
            }
        }
    }

    struct Sow: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write valid examples of the formats that nobody writes by hand into the corpus.")

        @Option(help: "The folder with Corpus and Dictionaries.") var folder = "Fuzzing"

        func run() throws { try Sowing.sow(folder) }
    }

    struct ChildCommand: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "child", shouldDisplay: false)

        @Argument var target: FuzzTarget
        @Option var recorder: String
        @Option var folder: String
        @Option var seed: UInt64 = 1
        @Option var seconds = 1.0
        @Option var only: String?

        func run() throws {
            let order = Child.Order(
                target: target, folder: folder, recorder: recorder, seed: seed, seconds: seconds, only: only)
            throw ExitCode(Child.run(order))
        }
    }
}
