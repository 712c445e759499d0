internal import Foundation
internal import FoundationNetworking

/// How a server names one state of a file.
struct Validator: Equatable, Sendable {
    var tag: String?
    var date: String?

    /// `nil` where there is neither. A weak tag does not promise the same bytes.
    init?(tag: String?, date: String?) {
        self.tag = tag.flatMap { $0.hasPrefix("W/") || $0.isEmpty ? nil : $0 }
        self.date = date.flatMap { $0.isEmpty ? nil : $0 }
        if self.tag == nil, self.date == nil { return nil }
    }

    /// What `If-Range` says.
    var word: String? { tag ?? date }

    /// Whether an answer is of another state of the file. One that says nothing is not.
    func contradicts(_ response: HTTPURLResponse) -> Bool {
        if let tag, let other = response.value(forHTTPHeaderField: "ETag") { return tag != other }
        if let date, let other = response.value(forHTTPHeaderField: "Last-Modified") { return date != other }
        return false
    }
}

/// What an answer means for a download. Values, no I/O.
enum RangeAnswer: Equatable {
    /// The rest comes; `nil` where the server does not say how long the whole is.
    case rest(total: Int64?)
    /// The whole comes, from its beginning.
    case whole
    /// Not a part of the file, but it may be followed by another answer: the server wants to know who asks.
    case aside
    /// It cannot go on from there: the file has to be asked for without a range.
    case again

    init(_ response: HTTPURLResponse?, offset: Int64, validator: Validator?) {
        guard let response, offset > 0 else {
            self = .whole
            return
        }
        switch response.statusCode {
        case 206:
            let range = ContentRange(response.value(forHTTPHeaderField: "Content-Range"))
            let isSame = range?.first == offset && validator?.contradicts(response) == false
            self = isSame && response.isPlain ? .rest(total: range?.total) : .again
        case 401, 407: self = .aside
        case 416: self = .again
        default: self = .whole
        }
    }

    /// By what a download can be resumed that got this answer; `nil` if it cannot.
    static func validator(_ response: URLResponse?, to request: URLRequest?) -> Validator? {
        guard let response = response as? HTTPURLResponse, let request, request.httpMethod ?? "GET" == "GET",
            request.value(forHTTPHeaderField: "Range") == nil, response.isPlain
        else { return nil }
        let ranges = response.value(forHTTPHeaderField: "Accept-Ranges")?.lowercased() ?? ""
        switch response.statusCode {
        case 200 where ranges.contains("bytes"), 206: break
        default: return nil
        }
        return Validator(
            tag: response.value(forHTTPHeaderField: "ETag"), date: response.value(forHTTPHeaderField: "Last-Modified"))
    }
}

/// `bytes 100-199/200`.
struct ContentRange: Equatable {
    let first: Int64
    let total: Int64?

    init?(_ text: String?) {
        let words = (text ?? "").split(whereSeparator: { " -/".contains($0) }).map(String.init)
        guard words.count == 4, words[0].lowercased() == "bytes", let first = Int64(words[1]),
            let last = Int64(words[2]), first >= 0, last >= first
        else { return nil }
        self.first = first
        total = Int64(words[3])
    }
}

extension HTTPURLResponse {
    /// Its bytes are those of the file. Foundation unpacks the others, whose places in the file are not known.
    fileprivate var isPlain: Bool {
        let encoding = value(forHTTPHeaderField: "Content-Encoding")?.lowercased() ?? ""
        return encoding.isEmpty || encoding == "identity"
    }
}

extension URLRequest {
    /// The same, for what is missing of a file.
    func resumed(at offset: Int64, _ validator: Validator) -> URLRequest {
        var request = self
        request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
        request.setValue(validator.word, forHTTPHeaderField: "If-Range")
        // Places in the file are those of its plain bytes.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        return request
    }
}
