internal import Foundation

/// Files that a target begins from, in `Fuzzing/Corpus/TARGET`, and its words, in `Fuzzing/Dictionaries/TARGET.dict`.
enum Corpus {
    static func inputs(of target: String, in folder: String) -> [(name: String, bytes: [UInt8])] {
        let path = "\(folder)/Corpus/\(target)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().compactMap { name in contents("\(path)/\(name)").map { (name, $0) } }
    }

    static func contents(_ path: String) -> [UInt8]? {
        (try? Data(contentsOf: URL(fileURLWithPath: path))).map { Array($0) }
    }

    /// libFuzzer reads the same files: a word in quotation marks a line, `\xAB`, `\"` and `\\` in it; `#` begins a
    /// comment.
    static func words(of target: String, in folder: String) -> [[UInt8]] {
        let text = contents("\(folder)/Dictionaries/\(target).dict") ?? []
        return text.split(separator: UInt8(ascii: "\n")).compactMap(word)
    }

    private static func word(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        guard line.first != UInt8(ascii: "#"), let begin = line.firstIndex(of: UInt8(ascii: "\"")),
            let end = line.lastIndex(of: UInt8(ascii: "\"")), begin < end
        else { return nil }
        var word: [UInt8] = []
        var rest = line[line.index(after: begin)..<end]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
                word.append(byte)
                continue
            }
            guard kind == UInt8(ascii: "x") else {
                word.append(kind)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            word.append(value)
            rest = rest.dropFirst(2)
        }
        return word.isEmpty ? nil : word
    }
}
