public import Foundation
internal import Synchronization

/// Shows a file or folder, and wants to know what others do with it by way of `NSFileCoordinator`. Its methods are
/// called on its queue; all of them have a default that agrees.
public protocol NSFilePresenter: NSObjectProtocol {
    /// What it shows; `nil`: nothing at the moment.
    var presentedItemURL: URL? { get }
    /// Where its methods are called. Not a queue on which somebody waits for a coordinator, but for the main queue.
    var presentedItemOperationQueue: OperationQueue { get }

    /// Somebody wants to read it. It calls `reader` when it does not write, with what to call when the other has read.
    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)
    /// Somebody wants to write it. It calls `writer` when it neither reads nor writes.
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)
    /// Somebody wants to read it: what it has changed and not written is to be written now.
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// Somebody wants to remove it.
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// Somebody has moved it there.
    func presentedItemDidMove(to newURL: URL)
    /// Somebody has written it.
    func presentedItemDidChange()
    /// Somebody has written something in this folder.
    func presentedSubitemDidChange(at url: URL)
}

extension NSFilePresenter {
    /// Agrees.
    public func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        reader(nil)
    }
    /// Agrees.
    public func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        writer(nil)
    }
    /// There is nothing to save.
    public func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }
    /// Agrees.
    public func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }
    /// Does nothing.
    public func presentedItemDidMove(to newURL: URL) {}
    /// Does nothing.
    public func presentedItemDidChange() {}
    /// Does nothing.
    public func presentedSubitemDidChange(at url: URL) {}
}

/// Those that were added, of this process.
enum FilePresenters {
    // They are called on queues of their own, whichever thread asks for it.
    private struct Entry: @unchecked Sendable {
        let presenter: any NSFilePresenter
    }

    private static let entries = Mutex<[Entry]>([])

    static var all: [any NSFilePresenter] { entries.withLock { $0 }.map(\.presenter) }

    static func add(_ presenter: any NSFilePresenter) {
        let entry = Entry(presenter: presenter)
        entries.withLock { entries in
            if !entries.contains(where: { $0.presenter === entry.presenter }) { entries.append(entry) }
        }
    }

    static func remove(_ presenter: any NSFilePresenter) {
        let entry = Entry(presenter: presenter)
        entries.withLock { entries in entries.removeAll { $0.presenter === entry.presenter } }
    }

    static func of(_ url: URL, but own: (any NSFilePresenter)?) -> [any NSFilePresenter] {
        let path = url.standardizedFileURL.path
        return all.filter { $0 !== own && $0.presentedItemURL?.standardizedFileURL.path == path }
    }

    /// Calls it on its queue, and does not wait.
    static func call(_ presenter: any NSFilePresenter, _ body: @escaping () -> Void) {
        // Only handed to that queue.
        nonisolated(unsafe) let body = body
        presenter.presentedItemOperationQueue.addOperation { unsafe body() }
    }

    /// Asks those that show the item to let somebody else have it, and waits until they do.
    ///
    /// - Returns: what to call when he has had it.
    static func giveWay(to intent: NSFileAccessIntent, but own: (any NSFilePresenter)?) -> [() -> Void] {
        of(intent.url, but: own).flatMap { presenter in
            var returns: [() -> Void] = []
            let back = ask(presenter) { done in
                if intent.writes {
                    presenter.relinquishPresentedItem(toWriter: done)
                } else {
                    presenter.relinquishPresentedItem(toReader: done)
                }
            }
            if let back { returns.append { call(presenter, back) } }
            if intent.writes ? intent.writing?.contains(.forMerging) == true : !intent.reading.contains(.withoutChanges)
            {
                _ = ask(presenter) { done in presenter.savePresentedItemChanges { _ in done(nil) } }
            }
            if intent.writing?.contains(.forDeleting) == true {
                _ = ask(presenter) { done in presenter.accommodatePresentedItemDeletion { _ in done(nil) } }
            }
            return returns
        }
    }

    private typealias Reply = @Sendable ((@Sendable () -> Void)?) -> Void

    /// Calls it on its queue and waits for its answer. On the main thread, which would wait for itself, at once.
    private static func ask(
        _ presenter: any NSFilePresenter, _ question: @escaping (@escaping Reply) -> Void
    ) -> (@Sendable () -> Void)? {
        let box = AnswerBox()
        let reply: Reply = { box.give($0) }
        if presenter.presentedItemOperationQueue === OperationQueue.main, Thread.isMainThread {
            question(reply)
        } else {
            // Only handed to that queue, and waited for.
            nonisolated(unsafe) let question = question
            presenter.presentedItemOperationQueue.addOperation { unsafe question(reply) }
        }
        return box.wait()
    }

    private final class AnswerBox: Sendable {
        private let answer = Mutex<(@Sendable () -> Void)?>(nil)
        private let isThere = DispatchSemaphore(value: 0)

        func give(_ value: (@Sendable () -> Void)?) {
            answer.withLock { $0 = value }
            isThere.signal()
        }

        func wait() -> (@Sendable () -> Void)? {
            isThere.wait()
            return answer.withLock { $0 }
        }
    }

    static func tellOfChange(_ url: URL, but own: (any NSFilePresenter)?) {
        for presenter in of(url, but: own) { call(presenter) { presenter.presentedItemDidChange() } }
        for presenter in of(url.deletingLastPathComponent(), but: own) {
            call(presenter) { presenter.presentedSubitemDidChange(at: url) }
        }
    }
}
