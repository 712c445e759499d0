import Foundation
import Testing

@Suite("The documentation")
struct DocumentTests {
    /// The Swift listings of a page, each with the file that the comment before it names.
    private func listings(_ page: String) throws -> [(file: String?, text: String)] {
        let text = try String(contentsOf: Repository.root.appendingPathComponent(page), encoding: .utf8)
        var listings: [(file: String?, text: String)] = []
        var isListing = false
        var before = ""
        for line in text.components(separatedBy: "\n") {
            if isListing {
                if line == "```" { isListing = false } else { listings[listings.count - 1].text += line + "\n" }
            } else if line == "```swift" {
                isListing = true
                let isNamed = before.hasPrefix("<!-- ") && before.hasSuffix(" -->")
                listings.append((isNamed ? String(before.dropFirst(5).dropLast(4)) : nil, ""))
            }
            before = line
        }
        return listings
    }

    @Test(
        "Every Swift listing is a file of the tests, which are compiled and run",
        arguments: [("docs/TESTING.md", 6), ("docs/MEMORY.md", 3)])
    func listings(_ page: String, _ least: Int) throws {
        let listings = try listings(page)
        #expect(listings.count >= least)
        for listing in listings {
            let file = try #require(listing.file, "no comment names the file of a listing")
            #expect(file.hasPrefix("Tests/") || file.contains("/Tests/"), "\(file) is not compiled with the tests")
            let text = try String(contentsOf: Repository.root.appendingPathComponent(file), encoding: .utf8)
            #expect(listing.text == text, "\(page) differs from \(file)")
        }
    }

    @Test("The architecture is read in half an hour, and leads to every page about it")
    func architecture() throws {
        let page = try String(
            contentsOf: Repository.root.appendingPathComponent("docs/ARCHITECTURE.md"), encoding: .utf8)
        #expect(page.split(whereSeparator: \.isWhitespace).count <= 2_500)
        let folder = Repository.root.appendingPathComponent("docs/architecture").path
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }
        #expect(pages.count > 10)
        for name in pages { #expect(page.contains("(architecture/\(name)"), "no link leads to \(name)") }
    }

    @Test("Bringing an iOS app counts what its tables say")
    func portingTotals() throws {
        let text = try String(
            contentsOf: Repository.root.appendingPathComponent("docs/PORTING.md"), encoding: .utf8)
        let tables = text[try #require(text.range(of: "| | there | in part | no |")).lowerBound...]
        var (section, counted): (String?, [String: [Int]]) = (nil, [:])
        let words = ["there", "in part", "no"]
        for line in tables.split(separator: "\n") {
            if line.hasPrefix("### ") { section = String(line.dropFirst(4)) }
            let cells = line.components(separatedBy: " | ")
            guard let section, cells.count > 2, let word = words.firstIndex(of: cells[1]) else { continue }
            counted[section, default: [0, 0, 0]][word] += 1
        }
        #expect(counted.count > 5)
        for (section, numbers) in counted {
            #expect(tables.contains("| \(section) | \(numbers.map(String.init).joined(separator: " | ")) |"))
        }
        let all = words.indices.map { index in counted.values.reduce(0) { $0 + $1[index] } }
        #expect(tables.contains("| all | \(all.map(String.init).joined(separator: " | ")) |"))
        #expect(
            text.contains(
                "Of \(all.reduce(0, +)) symbols\n**\(all[0]) are there, \(all[1]) in part, and \(all[2]) not**"))
    }
}
