internal import LinuxSystem

/// The ways to run this program: the measurement, its guarded child, and the app that is measured.
enum Program {
    static let usage = """
        usage: greenroom-bench [--quick] [--only WHAT] [--json FILE] [--beside FILE] [--bin DIR] [--apps DIR]
        Measures Greenroom on real processes, each figure beside its floor.
          --quick      fewer rounds and 10 s instead of 60 s of idleness
          --only WHAT  core, simulator, footprint, launches, background, memory, waking, services or scale: only that
          --sizes N,N  for scale: how many apps (default: 10,100,1000,10000)
          --json FILE  the figures as JSON as well
          --beside FILE  the table of another run, from its --json, beside this one
          --bin DIR    where greenroom and greenroomd are (default: beside this program)
          --apps DIR   where Journal.app is (default: ../apps beside the programs)

        """

    static func run(_ arguments: [String]) -> CInt {
        do {
            switch arguments.dropFirst().first {
            case let words? where words == "app" || words.hasPrefix("app "): return try TinyApp.run(words)
            case let words? where words.hasPrefix("hold "): return try BareHolder.run(words)
            case "serve": return try TinyServer.run(arguments.dropFirst(2).first.flatMap { UInt16($0) })
            case "measure": return try Measurement(try Options(Array(arguments.dropFirst(2)))).run()
            case "--help", "-h":
                print(usage, terminator: "")
                return 0
            default: return try Guardian(try Options(Array(arguments.dropFirst()))).run()
            }
        } catch let error as UsageError {
            StandardError.write("greenroom-bench: \(error.sentence)\n\(usage)")
            return 2
        } catch {
            StandardError.write("greenroom-bench: \(error)\n")
            return 1
        }
    }
}

struct UsageError: Error {
    let sentence: String
}

/// Something did not go as a measurement needs it.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

struct Options {
    var isQuick = false
    enum Part: String { case core, simulator, footprint, launches, background, memory, waking, services, scale }
    /// Nothing but this.
    var only: Part?
    /// How many apps, one after the other.
    var sizes = [10, 100, 1_000, 10_000]
    var jsonFile: String?
    /// Figures of another run.
    var besideFile: String?
    /// The folder of the tools.
    var programs: String
    /// The folder of the example bundles.
    var apps: String
    /// Given by the guardian: where everything temporary lies.
    var place = ""

    init(_ arguments: [String]) throws {
        guard let own = CurrentProcess.executablePath, let slash = own.lastIndex(of: "/") else {
            throw BenchError("/proc is not mounted")
        }
        programs = String(own[..<slash])
        var apps: String?
        var rest = arguments[...]
        while let option = rest.popFirst() {
            if option == "--quick" {
                isQuick = true
                continue
            }
            guard let value = rest.popFirst() else { throw UsageError(sentence: "\(option) needs a value") }
            switch option {
            case "--only":
                only = Part(rawValue: value)
                if only == nil {
                    let parts = "core, simulator, footprint, launches, background, memory, waking, services or scale"
                    throw UsageError(sentence: "--only takes \(parts), not \(value)")
                }
            case "--sizes":
                sizes = value.split(separator: ",").compactMap { Int($0) }.filter { (1...100_000).contains($0) }
                guard !sizes.isEmpty, sizes == sizes.sorted() else {
                    throw UsageError(sentence: "--sizes takes numbers of apps, the smallest first, not \(value)")
                }
            case "--json": jsonFile = value
            case "--beside": besideFile = value
            case "--bin": programs = value
            case "--apps": apps = value
            case "--place": place = value
            default: throw UsageError(sentence: "unknown option \(option)")
            }
        }
        self.apps = apps ?? programs + "/../apps"
    }

    /// For the guarded child.
    var arguments: [String] {
        var list = ["--bin", programs, "--apps", apps, "--place", place]
        if isQuick { list.append("--quick") }
        if let only { list += ["--only", only.rawValue] }
        list += ["--sizes", sizes.map(String.init).joined(separator: ",")]
        if let jsonFile { list += ["--json", jsonFile] }
        if let besideFile { list += ["--beside", besideFile] }
        return list
    }
}
