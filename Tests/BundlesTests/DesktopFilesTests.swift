import Bundles
import Foundation
import Testing

/// A `.desktop` file in Tests/DesktopFiles, and what has to come of it. They are of the kinds that distributions ship.
/// `Scripts/try-cases` installs the same files on a device.
struct DesktopFile: CustomTestStringConvertible, Sendable {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "DesktopFiles")
    static let all: [DesktopFile] = {
        let table = (try? String(contentsOf: folder.appending(path: "expected.tsv"), encoding: .utf8)) ?? ""
        return table.split(separator: "\n").dropFirst().compactMap { DesktopFile($0) }
    }()

    let path: String
    let kind: String
    let isInstalled: Bool
    let name: String
    /// The program's name and its arguments. One that ends with `…` has more.
    let command: [String]
    /// A part of the refusal or of a warning; `nil`: there is no warning.
    let words: String?
    /// A program that the machine may lack.
    let program: String?

    var testDescription: String { kind }

    init?(_ line: Substring) {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard columns.count == 7 else { return nil }
        path = Self.folder.appending(path: columns[0]).path(percentEncoded: false)
        isInstalled = columns[1] == "installed"
        name = columns[2]
        command = (try? JSONDecoder().decode([String].self, from: Data(columns[3].utf8))) ?? []
        words = columns[4] == "-" ? nil : columns[4]
        program = columns[5] == "-" ? nil : columns[5]
        kind = columns[6]
    }
}

@Suite(".desktop files of the kinds that distributions ship") struct DesktopFilesTests {
    @Test("The table has each file of its folder") func table() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: DesktopFile.folder.path)
        let listed = DesktopFile.all.map { ($0.path as NSString).lastPathComponent }
        #expect(Set(listed) == Set(names.filter { $0.hasSuffix(".desktop") }) && listed.count >= 60)
    }

    @Test("Each is described as it was meant, or refused with a reason", arguments: DesktopFile.all)
    func inspect(_ file: DesktopFile) throws {
        let workshop = try Workshop()
        let manifest: Manifest
        do throws(Refusal) {
            manifest = try Inspection.inspect(path: file.path, staging: workshop.staging)
        } catch {
            let isExpected = !file.isInstalled && file.words.map(error.refused.contains) == true
            #expect(isExpected || file.program.map(error.refused.contains) == true, "\(error)")
            return
        }
        #expect(file.isInstalled && manifest.name == file.name)
        let command = [(manifest.executable as NSString).lastPathComponent] + manifest.arguments
        if file.command.last == "…" {
            #expect(command.starts(with: file.command.dropLast()) && command.count > file.command.count)
        } else {
            #expect(command == file.command)
        }
        if let words = file.words {
            #expect(manifest.warnings.contains { $0.contains(words) }, "\(manifest.warnings)")
        } else {
            #expect(manifest.warnings.isEmpty)
        }
    }
}
