import AppRuntime
import Synchronization
import Testing
import Wire

@Suite("What the system says of the network")
struct NetworkNewsTests {
    @Test("Observers hear of each other network, until they no longer want to")
    func observers() {
        let news = NetworkNews()
        #expect(news.network == nil && !news.isObserved)
        let heard = Mutex(0)
        let token = news.observe { heard.withLock { $0 += 1 } }
        #expect(news.isObserved)
        news.tell(.wifi)
        news.tell(.wifi)
        news.tell(.cellular)
        #expect(heard.withLock { $0 } == 2)
        #expect(news.network == .cellular)
        news.ignore(token)
        news.tell(.wifi)
        #expect(heard.withLock { $0 } == 2)
        #expect(news.network == .wifi && !news.isObserved)
    }
}
