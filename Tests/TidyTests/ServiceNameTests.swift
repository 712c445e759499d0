import Testing

@Suite("Services are folders")
struct ServiceNameTests {
    /// Those that decide for all services, and their ways to them.
    private static let common = [
        "Sources/Model", "Sources/PolicyCore", "Sources/AppProtocol", "Sources/Host", "Sources/Keeper",
        "Sources/Storage", "Sources/Wire", "Sources/ServiceKit", "Sources/Simulation", "Sources/AppRuntime",
    ]

    @Test(
        "What decides for all services names none of them: not its modules, its program, nor the word that it declares")
    func servicesAreFolders() throws {
        let folders = Set(Repository.files("Sources/Services").map { $0.path.split(separator: "/")[2] })
        #expect(folders.contains("Transfers"), "the rule guards nothing")
        for folder in folders {
            let (word, stem) = (folder.lowercased(), folder.hasSuffix("s") ? String(folder.dropLast()) : String(folder))
            let name = try Regex(
                "\"\(word)\"|greenroom-\(stem.lowercased())d|\\b\(stem)(Core|Wire|Service)\\b|/\(word)\\b")
            for file in Self.common.flatMap({ Repository.files($0) }) {
                for (number, line) in file.code.enumerated() where line.contains(name) {
                    Issue.record("\(file.path):\(number + 1) names a service: \(line)")
                }
            }
        }
    }

    /// The vocabulary of service declarations, which is Apple's.
    private static let vocabulary: Set<String> = [
        "Sources/Model/Energy/Purpose.swift", "Sources/Model/Services/WindowCallback.swift",
    ]

    @Test("Model, Core, host and simulator know no user-facing service by name: what it is it declares")
    func userFacingServices() throws {
        let name = try Regex(
            "\\b(audio|voip|transferEvents|closingEndsTransfers)\\b|\\.(location|push|remoteNotification)\\b")
        #expect("case .audio: true".contains(name) && "wake(.push)".contains(name))
        for path in Self.vocabulary { #expect(Repository.all.contains { $0.path == path }, "\(path) is not there") }
        // Values that only recordings of earlier versions contain.
        let others = Self.vocabulary.union(["Sources/PolicyCore/Recording/Retired.swift"])
        for file in Repository.files("Sources/Model", "Sources/PolicyCore", "Sources/Host", "Sources/Simulation")
        where !others.contains(file.path) {
            for (number, line) in file.code.enumerated() where line.contains(name) {
                Issue.record("\(file.path):\(number + 1) names a service: \(line)")
            }
        }
    }
}
