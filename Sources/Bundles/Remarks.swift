/// Collects a sentence for each key of a bundle or a `.desktop` file that is ignored or converted, for the tool.
final class Remarks {
    private(set) var sentences: [String] = []

    func add(_ sentence: String) {
        if sentences.count < Limits.remarks { sentences.append(sentence) }
    }

    /// Leaves out what is refused, with what is wrong with it.
    func leavingOut<Value>(_ what: String, _ body: () throws(Refusal) -> Value) -> Value? {
        do throws(Refusal) {
            return try body()
        } catch {
            add("\(what) is left out. \(error.refused)")
            return nil
        }
    }

    /// A number of seconds, at most a week.
    func seconds(_ text: String, _ what: String) -> Int64? {
        guard let number = Double(text), number >= 0, number <= 604_800 else {
            add("\(what) is no number of seconds from 0 to 604800, and is left out.")
            return nil
        }
        return Int64(number.rounded(.up))
    }

    /// A text that will be shown to people, without what could deceive them.
    func text(_ text: String, _ what: String) -> String {
        var result = text
        result.unicodeScalars.removeAll(where: Names.isDeceptive)
        if result != text { add("\(what) contains a control character, which is left out.") }
        guard result.utf8.count > Limits.textBytes else { return result }
        add("\(what) is longer than \(Limits.textBytes) bytes, and is cut off.")
        while result.utf8.count > Limits.textBytes { result.unicodeScalars.removeLast() }
        return result
    }
}
