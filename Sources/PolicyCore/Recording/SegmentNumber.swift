/// The numbers that files of rows have in their names. They count from one, and nobody gets to the largest: a name with
/// a greater one is not ours, and whoever counted on from it would not get far.
package enum SegmentNumber {
    package static let largest = 1 << 40

    /// Of the file of a segment, by its whole name; `nil`: it is none.
    package static func parse(_ name: String, kind: String) -> Int? {
        guard name.hasSuffix("." + kind) else { return nil }
        let digits = name.dropLast(kind.count + 1)
        guard digits.allSatisfy(\.isASCIIDigit), let number = Int(digits), (1...largest).contains(number) else {
            return nil
        }
        return number
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
